# SPDX-License-Identifier: GPL-2.0
# Prints output that must be the same in each run.
set -u
seq 1 2000 | sort -R --random-source=/bin/busybox | sort -n | cksum
seq 1 500 | tr 0-9 a-j | grep a | cut -c1-2 | sort | uniq -c | head -n 5
for i in $(seq 30); do echo "line $i $((i * i))"; done | sed -n '/ 1[0-9]* /p' | tail -n 4
mkdir -p a/b/c && touch a/b/c/{x,y,z} && ls -R a | wc -l
dd if=/dev/zero bs=1000 count=50 2>/dev/null | tee copy | cksum
cmp copy <(dd if=/dev/zero bs=1000 count=50 2>/dev/null) && echo same
mkfifo pipe
cat <pipe >from-pipe & echo through a pipe >pipe
wait
cat from-pipe
trap 'echo got USR1' USR1
kill -USR1 $$
trap 'hits=$((hits + 1))' ALRM
hits=0
for i in 1 2 3; do kill -ALRM $$; done
echo "hits $hits"
(sleep 60 & sleeper=$!; kill -TERM $sleeper; wait $sleeper; echo "sleeper $?")
timeout 0.2 sleep 60
echo "timeout $?"
jobs=()
for i in 1 2 3 4; do (sleep 0.05; exit $i) & jobs+=($!); done
for job in "${jobs[@]}"; do wait "$job"; echo -n "$? "; done
echo
exec 3<<<"here text"
read -r word rest <&3
echo "$rest $word"
echo $(( $(echo 6) * $(echo 7) ))
function deep { [ "$1" -eq 0 ] && echo bottom || (deep $(($1 - 1))); }
deep 12
coproc { read -r x; echo "answer $x"; }
exec 4<&"${COPROC[0]}" 5>&"${COPROC[1]}"
echo question >&5
read -r answer <&4
echo "$answer"
exec 4<&- 5>&-
wait
{
	(kill -STOP $BASHPID) &
	pid=$!
	sleep 0.1
	kill -KILL $pid
	wait $pid
	status=$?
} 2>/dev/null
echo "killed $status"
rm -rf a copy pipe from-pipe
ls
