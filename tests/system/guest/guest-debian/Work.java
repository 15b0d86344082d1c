// SPDX-License-Identifier: GPL-2.0
import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** Threads, a file, a child process, and enough garbage for a collection. */
public class Work {
	public static void main(String[] arguments) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(4);
		Future<Long> sum = pool.submit(() -> LongStream.rangeClosed(1, 100000).sum());
		Future<Integer> strings = pool.submit(() -> IntStream.range(0, 200000)
				.mapToObj(Integer::toString).collect(Collectors.toList()).size());
		Path file = Files.createTempFile("work", ".txt");
		Files.writeString(file, "a file");
		Process child = new ProcessBuilder("/usr/bin/cat", file.toString()).start();
		String text = new String(child.getInputStream().readAllBytes());
		Thread.sleep(20);
		System.out.println(sum.get() + " " + strings.get() + " " + text + " " + child.waitFor());
		pool.shutdown();
		System.gc();
		System.exit(pool.awaitTermination(5, TimeUnit.SECONDS) ? 3 : 4);
	}
}
