//go:build race

package redact_test

const raceDetector = true // whether the tests run with the race detector
