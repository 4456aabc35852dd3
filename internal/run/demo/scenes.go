package demo

import (
	_ "embed"
	"slices"

	"acpshim/internal/chain/wire"

	"golang.org/x/tools/txtar"
)

//go:embed scenes.txtar
var scenesText []byte

// Scenes with a time of their own.
const (
	late = "late" // is played after the end of the turn
	wait = "wait" // lasts until the client cancels the turn, and is only played by name
)

// Scenes returns the names of the scenes that [TestAgent] can play, in its order.
func Scenes() (names []string) {
	for _, f := range txtar.Parse(scenesText).Files {
		names = append(names, f.Name)
	}
	return names
}

// named returns the scenes that words name, or all if they name none.
func named(words []string) []txtar.File {
	isNamed := func(f txtar.File) bool { return slices.Contains(words, f.Name) }
	scenes := txtar.Parse(scenesText).Files
	if !slices.ContainsFunc(scenes, isNamed) {
		isNamed = func(f txtar.File) bool { return f.Name != wait }
	}
	return slices.DeleteFunc(scenes, func(f txtar.File) bool { return !isNamed(f) })
}

func quote(text string) string { return string(wire.Quote(nil, text)) }
