package acp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spelled are words in files that may spell them, and why.
var spelled = map[string]string{
	"auth/login internal/record/redact/json.go": "redact reads any text, and knows no other word of the protocol",
}

// No other package spells a method or a kind of session update, and each constant is used. Words
// that may mean something else, such as plan and initialize, are not checked.
func TestOtherPackagesUseTheConstants(t *testing.T) {
	names, checked := map[string]bool{}, map[string]bool{}
	for _, c := range constants(t) {
		names[c.name] = true
		if (c.file == "method.go" || c.file == "update.go") && strings.ContainsAny(c.word, "/_") {
			checked[c.word] = true
		}
	}
	if len(checked) < 50 {
		t.Fatalf("there are %d methods and updates", len(checked))
	}
	used, isSpelled := map[string]bool{}, map[string]bool{}
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(root, path)
		relative = filepath.ToSlash(relative)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (relative == "internal/chain/acp" || d.Name() == "testdata" || strings.HasPrefix(relative, ".") && relative != "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "acp" {
					used[n.Sel.Name] = true
				}
			case *ast.BasicLit:
				word, _ := strconv.Unquote(n.Value)
				if isKnown := spelled[word+" "+relative] != ""; isKnown {
					isSpelled[word+" "+relative] = true
				} else if n.Kind == token.STRING && checked[word] {
					t.Errorf("%s:%d spells %q: want the constant of package acp", relative, files.Position(n.Pos()).Line, word)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !used[name] {
			t.Errorf("no package uses %s", name)
		}
	}
	for each := range spelled {
		if !isSpelled[each] {
			t.Errorf("%s is an exception, but is not there", each)
		}
	}
}

// unknown are words that the schemas do not have, and why acpshim knows them.
var unknown = map[string]string{
	SessionSetModel:  "unstable until the schemas dropped it; agents still have it",
	MCPConnect:       "unstable until the schemas dropped it; agents may still send it",
	MCPDisconnect:    "unstable until the schemas dropped it; agents may still send it",
	PlanCapabilities: "SDKs from before plans became stable read only this spelling",
}

// Methods and kinds of session update are those in the schemas, which are in schema, in the folder
// that ACPSHIM_SHARED names. The schemas have each other word as a string.
func TestTheSchemasHaveTheWords(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	paths, _ := filepath.Glob(filepath.Join(shared, "schema", "v*", "*.json"))
	newer, _ := filepath.Glob(filepath.Join(shared, "schema", "*", "v*", "*.json"))
	if len(paths) == 0 || len(newer) == 0 {
		t.Fatal("there are no schemas")
	}
	patterns := map[string]*regexp.Regexp{
		"method.go": regexp.MustCompile(`"x-method": *"([^"]*)"`),
		"update.go": regexp.MustCompile(`"sessionUpdate": *{[^}]*"const": *"([^"]*)"`),
		"":          regexp.MustCompile(`"(\w+)"`),
	}
	known := map[string]map[string]bool{"method.go": {}, "update.go": {}, "": {}}
	for _, path := range slices.Concat(paths, newer) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for file, pattern := range patterns {
			for _, m := range pattern.FindAllSubmatch(text, -1) {
				known[file][string(m[1])] = true
			}
		}
	}
	for _, c := range constants(t) {
		of := known[c.file]
		if of == nil {
			of = known[""]
		}
		if isException := unknown[c.word] != ""; of[c.word] == isException {
			t.Errorf("%s %q: the schemas have it: %t, it is an exception: %t", c.name, c.word, of[c.word], isException)
		}
	}
}

type constant struct{ file, name, word string }

// constants returns the constants of the package.
func constants(t *testing.T) (all []constant) {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name, object := range file.Scope.Objects {
			if object.Kind == ast.Fun {
				continue
			}
			word, err := strconv.Unquote(object.Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, constant{path, name, word})
		}
	}
	return all
}
