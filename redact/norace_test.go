//go:build !race

package redact_test

// underRace: the race detector watches, and times say little.
const underRace = false
