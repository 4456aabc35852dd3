//go:build ignore

// Texts writes the comments and the texts of the Go files below the current folder into a folder,
// one file for each, so that ".ci/words" can read them: "go run .ci/texts.go FOLDER".
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, c := range f.Comments {
			fmt.Fprintf(&b, "%s:%d: %s\n\n", path, set.Position(c.Pos()).Line, strings.ReplaceAll(c.Text(), "\n", " "))
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil && strings.Count(s, " ") > 1 {
					fmt.Fprintf(&b, "%s:%d: %s\n\n", path, set.Position(l.Pos()).Line, strings.ReplaceAll(s, "\n", " "))
				}
			}
			return true
		})
		return os.WriteFile(filepath.Join(os.Args[1], strings.ReplaceAll(path, "/", "_")+".txt"), []byte(b.String()), 0o644)
	})
	if err != nil {
		log.Fatal(err)
	}
}
