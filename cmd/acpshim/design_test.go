package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/contributing/design.md draws the way of a line: each function is called by the one that it
// is drawn below, further to the left.
func TestTheDesignDrawsWhatIsCalled(t *testing.T) {
	text, err := os.ReadFile("../../docs/contributing/design.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := called(t)
	drawn := regexp.MustCompile(`(?m)^( *)((?:\w+\.)(?:\(\*\w+\)\.)?\w+)(  |$)`)
	var above []string // the function of each indent
	lines := 0
	for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllSubmatch(text, -1) {
		for _, m := range drawn.FindAllStringSubmatch(string(block[1]), -1) {
			name, depth := m[2], len(m[1])/2
			lines++
			if calls[name] == nil {
				t.Errorf("%s is drawn and is no function", name)
			}
			above = append(above[:min(depth, len(above))], name)
			if depth != len(above)-1 {
				t.Errorf("%s is drawn below nothing", name)
			} else if depth > 0 && !calls[above[depth-1]][name[strings.LastIndex(name, ".")+1:]] {
				t.Errorf("%s is drawn below %s, which does not call it", name, above[depth-1])
			}
		}
	}
	if lines < 10 {
		t.Errorf("the drawing has %d functions", lines)
	}
}

// called returns the names of what each function of the project calls, by its name in the form of
// dispatch.(*Direction).Rewrite.
func called(t *testing.T) map[string]map[string]bool {
	calls := map[string]map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				if pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					if of, ok := pointer.X.(*ast.Ident); ok {
						name = "(*" + of.Name + ")." + name
					}
				}
			}
			in := map[string]bool{}
			calls[file.Name.Name+"."+name] = in
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					in[id.Name] = true
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return calls
}
