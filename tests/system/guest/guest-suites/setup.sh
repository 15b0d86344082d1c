# SPDX-License-Identifier: GPL-2.0
# Prepares the unpacked tests. Runs in the root of the packages.
set -e
# perl's tests expect all modules in ../lib, and the program next to it.
mkdir /root/suites/lib
cd /root/suites/lib
for from in /usr/lib/*/perl-base /usr/lib/*/perl/5.36 /usr/share/perl/5.36; do
	cp -rs --remove-destination "$from/." .
done
ln -s /usr/bin/perl ../perl
ln -s /usr/bin/perl ../t/perl
# bash's tests call awk, and use the locale en_US.UTF-8, which the package locales would make.
ln -sf gawk /usr/bin/awk
ln -s C.utf8 /usr/lib/locale/en_US.utf8
# coreutils' tests expect the programs in src, getlimits among them, and install as ginstall.
mkdir /root/suites/coreutils/src
cd /root/suites/coreutils/src
ln -s /usr/bin/* .
mv install ginstall
printf '#!/usr/bin/dash\ncat /root/suites/limits\n' >getlimits
chmod +x getlimits
echo 'user:x:1000:1000:user:/root/suites:/usr/bin/bash' >>/etc/passwd
printf 'user:x:1000:\nsecond:x:1001:user\n' >>/etc/group
chmod 755 /root
chown -R 1000:1000 /root/suites
