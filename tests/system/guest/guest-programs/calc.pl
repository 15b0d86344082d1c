# SPDX-License-Identifier: GPL-2.0
# Tests fork, pipes, signals, timers and memory in Perl, without modules. Output must be the same in each run.
$| = 1;
my %count;
$count{$_ % 97} += $_ * $_ for 1 .. 20000;
print join(",", map { $count{$_} } sort { $a <=> $b } keys %count), "\n";
for my $n (1 .. 20) {
	my $pid = fork();
	exit($n) unless $pid;
	waitpid($pid, 0);
	print $? >> 8, " ";
}
print "\n";
pipe(my $in, my $out);
my $pid = fork();
if (!$pid) {
	close $in;
	print $out "row $_ ", "x" x ($_ % 50), "\n" for 1 .. 500;
	exit 0;
}
close $out;
my ($lines, $bytes) = (0, 0);
while (<$in>) { $lines++; $bytes += length }
waitpid($pid, 0);
print "$lines lines, $bytes bytes\n";
my $hits = 0;
$SIG{ALRM} = sub { $hits++ };
for (1 .. 3) { alarm 1; my $left = select(undef, undef, undef, 3); }
print "alarms $hits\n";
$SIG{USR1} = sub { $hits += 100 };
kill USR1 => $$ for 1 .. 5;
print "signals $hits\n";
open(my $sub, "-|", "echo from a program; exit 3");
print <$sub>;
close $sub;
print "its status ", $? >> 8, "\n";
my $text = `seq 1 10 | tail -n 1`;
print "text $text";
eval { local $SIG{ALRM} = sub { die "timed out\n" }; alarm 1; select(undef, undef, undef, 5); select(undef, undef, undef, 5) };
print "eval $@";
my $big = "abc" x 1000000;
print length($big), " ", unpack("%32C*", $big), "\n";
