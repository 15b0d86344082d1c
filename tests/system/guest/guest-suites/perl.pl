# SPDX-License-Identifier: GPL-2.0
# Runs the tests of perl's source that the arguments name, or without arguments the basic ones and those of processes,
# threads, signals, files, sockets and time. Writes "NAME ok" or "NAME fails" to descriptor 3.
use strict;
use warnings;
use TAP::Harness;

chdir "/root/suites" or die "no tests: $!";
$ENV{PATH} = "/usr/bin:/usr/sbin";
$ENV{PERL_CORE} = 1;
open my $outcomes, ">&=", 3 or die "no descriptor 3: $!";
$outcomes->autoflush(1);

my @tests = @ARGV ? @ARGV : (
	map({ glob "t/$_/*.t" } qw(base cmd io)),
	map({ "t/op/$_.t" } qw(alarm chdir die_exit exec filetest fork getpid getppid glob groups kill0 magic mkdir qx
		readdir readline select setpgrpstack sigdispatch sigsystem sleep sselect stat sysio threads threads-dirh
		time unlink utime waitpid)),
	map({ glob "$_/t/*.t" } qw(ext/POSIX ext/IPC-Open3 ext/Fcntl dist/IO dist/threads dist/threads-shared
		dist/Time-HiRes cpan/Socket cpan/IPC-SysV cpan/File-Temp)));

# command HARNESS FILE: a test runs in the folder above t, or in t if it is one of perl's own
sub command {
	my $file = $_[1];
	my ($folder, $name) = $file =~ m{^(t)/(.*)} ? ($1, $2) : $file =~ m{(.*)/(t/.*)};
	open my $script, "<", $file or die "$file: $!";
	my ($taint) = <$script> =~ /^#!.*perl.*?( -\w*[tT])/;
	return ["sh", "-c", 'cd "$1" && shift && exec 3>&- timeout -k 5 120 "$@"', "sh", $folder, "/usr/bin/perl",
		$taint ? "-T" : (), "-I" . ($folder eq "t" ? "../lib" : "../../lib"), $name];
}

my $harness = TAP::Harness->new({ exec => \&command, verbosity => -1, failures => 1, merge => 1 });
$harness->callback(after_test => sub {
	my ($names, $parser) = @_;
	my $good = !$parser->has_problems && ($parser->tests_run || $parser->skip_all);
	print $outcomes "$names->[0] ", $good ? "ok" : "fails", "\n";
});
$harness->runtests(grep { -e } @tests);
