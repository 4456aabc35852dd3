//go:build !race

package redact_test

const raceDetector = false // whether the tests run with the race detector
