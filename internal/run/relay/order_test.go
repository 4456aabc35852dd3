package relay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/setup/config"
)

// The comments of the row say which adapter must be nearer to the agent than another one.
func TestTheOrderOfAdapters(t *testing.T) {
	places, n := placesOf(config.Default()), 0
	for name, later := range laterOnes(t) {
		for _, l := range later {
			place, ok := places[l]
			if n++; !ok || places[name] > place {
				t.Errorf("%s does not stand above %s", name, l)
			}
		}
	}
	if n < 17 {
		t.Errorf("%d comments say above which adapter one stands", n)
	}
	last := len(places) - 1
	for name, want := range map[string]int{
		"*repair.AgentVersion": 0,        // all others read the agent's version as a number
		"*versions.Agent":      1,        // all others speak version 1 with the agent
		"*repair.Version":      last - 3, // all read the version that the agent is asked for
		"*versions.Client":     last - 2, // all others speak version 1 with the client
		"*versions.Early":      last - 1, // nobody sees a request that waits
		"*rule.Chain":          last,     // rules match what the client sends and gets
	} {
		if places[name] != want {
			t.Errorf("%s stands at %d, want %d", name, places[name], want)
		}
	}
}

// With rules.place = "agent", rules are first, and the other adapters keep their order.
func TestTheOrderOfAdaptersWithRulesBesideTheAgent(t *testing.T) {
	c := config.Default()
	before := placesOf(c)
	c.RulesPlace = "agent"
	for name, place := range placesOf(c) {
		want := before[name] + 1
		if name == "*rule.Chain" {
			want = 0
		}
		if place != want {
			t.Errorf("%s stands at %d, want %d", name, place, want)
		}
	}
}

// placesOf returns the positions of the adapters by their types, from the agent on.
func placesOf(c config.Config) map[string]int {
	places := map[string]int{}
	for i, a := range New(c, Options{}).adapters() {
		places[fmt.Sprintf("%T", a)] = i
	}
	return places
}

// laterOnes reads the comments of the row: by the type of an adapter, the types of those that must
// come after it.
func laterOnes(t *testing.T) map[string][]string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "row.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var row []ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CompositeLit); ok && len(c.Elts) > len(row) {
			row = c.Elts
		}
		return true
	})
	adapters := New(config.Default(), Options{}).adapters()
	later := map[string][]string{}
	for _, c := range file.Comments {
		for _, line := range c.List {
			name, _, ok := strings.Cut(strings.TrimPrefix(line.Text, "// above "), ": ")
			i := slices.IndexFunc(row, func(e ast.Expr) bool { return e.Pos() > c.End() })
			if ok && strings.HasPrefix(line.Text, "// above ") {
				by := fmt.Sprintf("%T", adapters[i])
				later[by] = append(later[by], "*"+name)
			}
		}
	}
	return later
}
