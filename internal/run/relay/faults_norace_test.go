//go:build !race

package relay_test

const isRace = false
