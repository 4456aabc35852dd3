package relay

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/folder"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"

	"golang.org/x/tools/txtar"
)

// A witness records the changes of an Interceptor, and requires a reason for each.
type witness struct {
	wire.Interceptor
	t       *testing.T
	reasons map[string]bool // by code
}

func (w witness) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	out, by = w.Interceptor.Rewrite(dst, line)
	w.added(by)
	if made := out[len(dst):]; len(by.Added) == 0 && !bytes.Equal(made, line) {
		w.see(string(line)+"became "+string(made), by.By)
	}
	return out, by
}

func (w witness) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	out, by = w.Interceptor.Flush(dst, end)
	if w.added(by); len(out) > len(dst) && len(by.Added) == 0 {
		w.see(string(out[len(dst):]), by.By)
	}
	return out, by
}

func (w witness) Drain(dst []byte) (out []byte, by wire.Change) {
	out, by = w.Interceptor.Drain(dst)
	if w.added(by); len(out) > len(dst) && len(by.Added) == 0 {
		w.see(string(out[len(dst):]), by.By)
	}
	return out, by
}

func (w witness) added(by wire.Change) {
	for _, a := range by.Added {
		w.see("what was added", a.By)
	}
}

func (w witness) see(what string, by []wire.Cause) {
	if len(by) == 0 {
		w.t.Errorf("nothing is named for a change: %s", what)
	}
	for _, c := range by {
		if c.Name == "" || c.Why.Text == "" || c.Why.Code == "" {
			w.t.Errorf("no reason of %q for a change: %s", c.Name, what)
		}
		w.reasons[c.Why.Code] = true
	}
}

// watched returns the chain of a transcript. Each change needs a reason.
func watched(t *testing.T, c config.Config, reasons map[string]bool) *Offline {
	texts, images := folder.Files{}, 0
	chain := NewOffline(c, Options{
		OwnID: "acpshim-", StartCommand: transcript.Echo, Disk: texts,
		WriteImage: func(extension string, _ []byte) (string, error) {
			images++
			return fmt.Sprintf("/tmp/acpshim/image-%d%s", images, extension), nil
		},
	}, texts)
	chain.FromClient, chain.FromAgent = witness{chain.FromClient, t, reasons}, witness{chain.FromAgent, t, reasons}
	return chain
}

// readTranscript reads a transcript and its configuration.
func readTranscript(t *testing.T, path string) (*txtar.Archive, config.Config) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	if i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == transcript.Config }); i >= 0 {
		if c, err = config.Parse(c, path, string(a.Files[i].Data)); err != nil {
			t.Fatal(err)
		}
	}
	return a, c
}

// Records have a reason for every change of a message.
func TestEachChangeHasAReason(t *testing.T) {
	paths, _ := filepath.Glob("../../../testdata/*/*.txtar")
	reasons := map[string]bool{}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, c := readTranscript(t, path)
			if _, err := transcript.Play(a, watched(t, c, reasons)); err != nil {
				t.Fatal(err)
			}
		})
	}
	adapters := New(config.Default(), Options{}).adapters()
	for _, a := range adapters {
		isShown := slices.ContainsFunc(codesOf(t, a, adapters), func(code string) bool { return reasons[code] })
		if name := reflect.TypeOf(a).String(); isShown == (withoutTranscript[name] != "") {
			t.Errorf("%s changes something in a transcript: %t. If none can show it, withoutTranscript says why", name, isShown)
		}
	}
}

// Adapters that no transcript can show, and why.
var withoutTranscript = map[string]string{
	"*deadlines.Adapter": "a transcript has no clock",
	"*versions.Early":    "the agent of a transcript cannot be started again",
}

// codesOf returns the codes of the reasons that an adapter can give: those that the files of its
// type name, those whose text names its key, or all of its package if no other adapter is in it.
func codesOf(t *testing.T, a dispatch.Adapter, adapters []dispatch.Adapter) (codes []string) {
	t.Helper()
	typ := reflect.TypeOf(a).Elem()
	folder := filepath.Join("../../..", strings.TrimPrefix(typ.PkgPath(), "acpshim"))
	paths, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	declares := regexp.MustCompile(`(?m)^(type ` + typ.Name() + ` struct|func \(\w* ?\*` + typ.Name() + `\) )`)
	var all, own string // source
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		all += string(source)
		if declares.Match(source) {
			own += string(source)
		}
	}
	isAlone := !slices.ContainsFunc(adapters, func(b dispatch.Adapter) bool {
		other := reflect.TypeOf(b).Elem()
		return other != typ && other.PkgPath() == typ.PkgPath()
	})
	_, keys, _ := strings.Cut(own, "\n//   - Keys: ")
	keys, _, _ = strings.Cut(keys, "\n")
	namesKey := func(text string) bool {
		return slices.ContainsFunc(strings.Split(keys, ", "), func(key string) bool { return strings.Contains(text, "("+key+")") })
	}
	reason := regexp.MustCompile(`(?:(\w+) += wire\.Reason\{)?Code: +"([^"]*)"(?:, Text: "([^"]*)")?`)
	for _, found := range reason.FindAllStringSubmatch(all, -1) {
		name, code, text := found[1], found[2], found[3]
		isNamed := name != "" && regexp.MustCompile(`\b`+name+`\b`).MatchString(own)
		if isAlone || isNamed || namesKey(text) || strings.Contains(own, found[0]) {
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		t.Errorf("%s has no reasons", typ)
	}
	return codes
}

// A code stands in the source once, and begins with its package, so that a program can rely on it.
func TestCodesOfReasons(t *testing.T) {
	code := regexp.MustCompile(`Code: +"([^"]*)"`)
	valid := regexp.MustCompile(`^[a-z]+(\.[a-z]+(-[a-z0-9]+)*)$`)
	known := map[string]string{}
	for _, root := range []string{"../../../translate", "../../../filters", "../../../internal"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, found := range code.FindAllStringSubmatch(string(source), -1) {
				c := found[1]
				if !valid.MatchString(c) {
					t.Errorf("%s: the code %q", path, c)
				}
				if known[c] != "" {
					t.Errorf("%s: the code %q is also in %s", path, c, known[c])
				}
				known[c] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(known) < 200 {
		t.Errorf("only %d codes were found", len(known))
	}
}
