package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var quoted = regexp.MustCompile("`([a-z0-9/]+)`")

// packagesOf reads the two tables of "Packages" in design.md: the floors from the top to the
// ground, and all packages. A name without a slash stands in the folder of the one before it.
func packagesOf(t *testing.T) (floors, packages []string) {
	text, err := os.ReadFile("contributing/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## Packages\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	_, both, _ := strings.Cut(section, "| floor |")
	first, second, _ := strings.Cut(both, "| package |")
	for line := range strings.Lines(first) {
		cell := strings.SplitN(line, "|", 3)
		for _, name := range quoted.FindAllStringSubmatch(strings.Join(cell[:min(len(cell), 2)], ""), -1) {
			floors = append(floors, name[1])
		}
	}
	for line := range strings.Lines(second) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		last := ""
		cell := strings.Split(line, "|")[1]
		for _, at := range quoted.FindAllStringSubmatchIndex(cell, -1) {
			name := cell[at[2]:at[3]]
			isBelow := strings.Contains(cell[:at[0]], "below it") && !strings.Contains(cell[strings.LastIndex(cell[:at[0]], "below it"):at[0]], ";")
			switch {
			case strings.Contains(name, "/") || slices.Contains(floors, name) && last == "":
				last = name
			case name == "bench":
				last = name
			case isBelow:
				name = last + "/" + name
			default:
				name = path.Dir(last) + "/" + name
				last = name
			}
			packages = append(packages, name)
		}
	}
	return floors, packages
}

// An import never goes up: the floors in design.md are those of the code.
func TestFloors(t *testing.T) {
	floors, packages := packagesOf(t)
	floorOf := func(name string) int {
		return slices.IndexFunc(floors, func(f string) bool { return name == f || strings.HasPrefix(name, f+"/") })
	}
	found := map[string]bool{}
	imports := 0
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		name := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(file, ".."+string(filepath.Separator))))
		if name == "." || strings.HasPrefix(name, ".") {
			return nil
		}
		found[name] = true
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range source.Imports {
			of, _ := strconv.Unquote(spec.Path.Value)
			other, isOurs := strings.CutPrefix(of, "acpshim/")
			if !isOurs {
				continue
			}
			imports++
			if from, to := floorOf(name), floorOf(other); from < 0 || to < 0 || to < from {
				t.Errorf("%s imports %s, which stands on a higher floor", name, other)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range found {
		if !slices.Contains(packages, name) {
			t.Errorf("design.md does not name the package %s", name)
		}
	}
	for i, name := range packages {
		if !found[name] || slices.Contains(packages[:i], name) {
			t.Errorf("design.md names the package %s, which does not exist or stands there twice", name)
		}
	}
	if imports < 500 {
		t.Errorf("there are only %d imports", imports)
	}
}
