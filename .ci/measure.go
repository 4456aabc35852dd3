//go:build ignore

// Measure prints figures of the project's Go, without judging them: "go run .ci/measure.go"
// in its top folder.
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
	"slices"
	"strings"
	"unicode/utf8"
)

// A file is what was counted in one.
type file struct {
	path            string
	lines, comments int
	long            int   // lines of comments of more than 100 columns
	functions       []int // their lines
}

func main() {
	log.SetFlags(0)
	var code, tests []file
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path == ".git":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		f, err := count(path)
		if strings.HasSuffix(path, "_test.go") {
			tests = append(tests, f)
		} else {
			code = append(code, f)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	var functions []int
	for _, f := range code {
		functions = append(functions, f.functions...)
	}
	slices.Sort(functions)
	row("lines of Go that are no tests", sum(code, "", lines))
	row("  in cmd/acpshim", sum(code, "cmd/acpshim/", lines))
	row("  in redact", sum(code, "internal/record/redact/", lines))
	row("lines of tests", sum(tests, "", lines))
	row("lines of a function, median", functions[len(functions)/2])
	row("  90 % have at most", functions[len(functions)*9/10])
	row("comments of more than 100 columns", sum(append(code, tests...), "", func(f file) int { return f.long }))
	row("comments in proxy, in %", 100*sum(code, "proxy/", func(f file) int { return f.comments })/sum(code, "proxy/", lines))
	for _, f := range code {
		if f.lines > 400 {
			row("more than 400 lines: "+f.path, f.lines)
		}
	}
}

func row(name string, n int) { fmt.Printf("%-50s %7d\n", name, n) }

func lines(f file) int { return f.lines }

func sum(files []file, under string, of func(file) int) (n int) {
	for _, f := range files {
		if strings.HasPrefix(filepath.ToSlash(f.path), under) {
			n += of(f)
		}
	}
	return n
}

func count(path string) (file, error) {
	f := file{path: path}
	source, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil {
		return f, err
	}
	line := func(p token.Pos) int { return set.Position(p).Line }
	f.lines = strings.Count(string(source), "\n")
	for _, group := range parsed.Comments {
		f.comments += line(group.End()) - line(group.Pos()) + 1
	}
	for text := range strings.Lines(string(source)) {
		if strings.HasPrefix(strings.TrimSpace(text), "//") && utf8.RuneCountInString(text)-1 > 100 {
			f.long++
		}
	}
	for _, d := range parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			f.functions = append(f.functions, line(fn.End())-line(fn.Pos())+1)
		}
	}
	return f, nil
}
