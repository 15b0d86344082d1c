# SPDX-License-Identifier: GPL-2.0
# Runs nginx with two worker processes under load. It serves small and large files, by sendfile(), by threads and by a
# proxy. It gets a new configuration under load, and finally stops regularly. Prints the answers, which must be the same
# in each run.
set -eu
base=http://127.0.0.1:8080
server="/usr/sbin/nginx -p /tmp/nginx -c /root/nginx.conf -e /tmp/nginx/error.log"
rm -rf /tmp/nginx
mkdir -p /tmp/nginx/files
head -c 1000 /dev/zero | tr '\0' s >/tmp/nginx/files/small
head -c 1000000 /dev/zero | tr '\0' l >/tmp/nginx/files/large

# load NAME OPTION...: makes requests by ab
load() {
	echo "$1:"
	shift
	ab -q "$@" | grep -E '^(Complete requests|Failed requests|Non-2xx responses|HTML transferred)'
}

ended() {
	for _ in $(seq 300); do
		[ -e /tmp/nginx/pid ] || return 0
		sleep 0.1
	done
	return 1
}

$server
load "a connection for each" -n 2000 -c 20 $base/small
load "kept connections" -k -n 10000 -c 50 $base/small
load "large files" -n 100 -c 8 $base/large
load "by threads" -n 100 -c 8 $base/threads/large
load "by a proxy" -n 1000 -c 20 $base/proxy/small
load "with a new configuration" -n 4000 -c 20 $base/small >/tmp/nginx/load &
for _ in 1 2 3 4 5; do
	sleep 0.2
	$server -s reload
done
wait $!
cat /tmp/nginx/load
$server -s quit
ended
# A request of the proxy counts as two.
echo "requests in the log: $(wc -l </tmp/nginx/access.log)"
echo "errors: $(grep -c '\[\(error\|crit\|alert\|emerg\)\]' /tmp/nginx/error.log)" || true
