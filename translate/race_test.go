//go:build race

package translate

// underRace: the race detector watches, and times say little.
const underRace = true
