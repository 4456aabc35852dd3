//go:build !race

package main

// raceTimes allows for the memory and the time that the race detector takes.
func raceTimes(n int) int { return n }
