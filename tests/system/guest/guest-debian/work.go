// SPDX-License-Identifier: GPL-2.0
// Goroutines on several threads that use channels, timers, pipes and signals.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	var wait sync.WaitGroup
	numbers, sums := make(chan int), make(chan int, 8)
	signals := make(chan os.Signal, 1)

	runtime.GOMAXPROCS(4)
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			sum := 0
			for n := range numbers {
				sum += n
			}
			sums <- sum
		}()
	}
	for n := 1; n <= 5000; n++ {
		numbers <- n
	}
	close(numbers)
	wait.Wait()
	close(sums)
	total := 0
	for sum := range sums {
		total += sum
	}
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	got := <-signals
	begin := time.Now()
	time.Sleep(20 * time.Millisecond)
	from, to, _ := os.Pipe()
	go to.Write([]byte("through a pipe"))
	text := make([]byte, 14)
	from.Read(text)
	fmt.Println(total, got, time.Since(begin) >= 20*time.Millisecond, string(text))
}
