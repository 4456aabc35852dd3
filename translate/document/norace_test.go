//go:build !race

package document

// underRace: the race detector watches, and times say little.
const underRace = false
