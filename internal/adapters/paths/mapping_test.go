package paths

import (
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
)

var (
	wsl    = Prefix{`C:\src`, "/mnt/c/src"}
	nested = []Prefix{{"/Users/me", "/home/me"}, {"/Users/me/app", "/workspace"}}
)

func TestText(t *testing.T) {
	const stays = ""
	for _, test := range []struct {
		prefixes   []Prefix
		from       conversation.Side
		text, want string
	}{
		{[]Prefix{wsl}, conversation.Client, `C:\src\a b\c.go`, "/mnt/c/src/a b/c.go"},
		{[]Prefix{wsl}, conversation.Client, `C:\src`, "/mnt/c/src"},
		{[]Prefix{wsl}, conversation.Client, `C:\src\`, "/mnt/c/src/"},
		{[]Prefix{wsl}, conversation.Client, `c:/SRC/Lib/x`, "/mnt/c/src/Lib/x"},
		{[]Prefix{wsl}, conversation.Client, `C:\src2\x`, stays},
		{[]Prefix{wsl}, conversation.Client, `C:src\x`, stays},
		{[]Prefix{wsl}, conversation.Client, `C:\src\..\x`, stays},
		{[]Prefix{wsl}, conversation.Client, `C:\a\..\src\b\..\x`, "/mnt/c/src/x"},
		{[]Prefix{wsl}, conversation.Client, `C:\src\.\a\..\x`, "/mnt/c/src/x"},
		{[]Prefix{wsl}, conversation.Client, `C:\src\.\..\x`, stays},
		{[]Prefix{wsl}, conversation.Agent, "/mnt/c//src/a/../x", `C:\src\x`},
		{[]Prefix{wsl}, conversation.Client, `C:\src\.\a..b`, "/mnt/c/src/./a..b"},
		{[]Prefix{{`/a\b`, "/x"}}, conversation.Agent, "file:///x/c", "file:///a%5Cb/c"},
		{[]Prefix{{"/", "/host"}}, conversation.Client, "/a/..", "/host"},
		{[]Prefix{wsl}, conversation.Client, `see C:\src\x`, stays},
		{[]Prefix{wsl}, conversation.Client, "/mnt/c/src/x", stays},
		{[]Prefix{wsl}, conversation.Client, "", stays},
		{[]Prefix{wsl}, conversation.Client, "C:\\src\\\ufffd", stays},
		{[]Prefix{wsl}, conversation.Agent, "/mnt/c/src/a b/c.go", `C:\src\a b\c.go`},
		{[]Prefix{wsl}, conversation.Agent, "/mnt/c/SRC/x", stays},
		{[]Prefix{wsl}, conversation.Agent, `/mnt/c/src/a\b`, stays},
		{[]Prefix{wsl}, conversation.Agent, "//mnt/c/src/x", stays},
		{[]Prefix{wsl}, conversation.Agent, "/mnt/c/src/../../etc/passwd", stays},
		{[]Prefix{wsl}, conversation.Agent, `C:\src\x`, stays},

		{[]Prefix{wsl}, conversation.Client, "file:///C:/src/a%20b#L1", "file:///mnt/c/src/a%20b#L1"},
		{[]Prefix{wsl}, conversation.Client, "file:///c%3A/src/a(b)%28c%29?x", "file:///mnt/c/src/a(b)%28c%29?x"},
		{[]Prefix{wsl}, conversation.Client, `FILE://C:\src\a\b`, "file:///mnt/c/src/a/b"},
		{[]Prefix{wsl}, conversation.Client, "file:///C:/src/a#/../../x", "file:///mnt/c/src/a#/../../x"},
		{[]Prefix{wsl}, conversation.Client, "file:/C:/src", "file:///mnt/c/src"},
		{[]Prefix{wsl}, conversation.Client, "file://localhost/C:/src/%zz", stays},
		{[]Prefix{wsl}, conversation.Client, "file://localhost/C:/src/%C3%A9", "file:///mnt/c/src/%C3%A9"},
		{[]Prefix{wsl}, conversation.Client, "file:///C:/src/%ff", stays},
		{[]Prefix{wsl}, conversation.Client, "file:///C:/src/%2e%2e/x", stays},
		{[]Prefix{wsl}, conversation.Client, "file:///C:/src/%2e%2e/src/x%20y", "file:///mnt/c/src/x%20y"},
		{[]Prefix{wsl}, conversation.Client, "file://server/C:/src/x", stays},
		{[]Prefix{wsl}, conversation.Client, "https://host/C:/src/x", stays},
		{[]Prefix{wsl}, conversation.Client, "file:", stays},
		{[]Prefix{wsl}, conversation.Client, "file://server", stays},
		{[]Prefix{{`z:\src`, "/z"}}, conversation.Client, `Z:\src\x`, "/z/x"},
		{[]Prefix{{`a:\src`, "/a"}}, conversation.Client, `A:\src\x`, "/a/x"},
		{[]Prefix{wsl}, conversation.Agent, "file:///mnt/c/src/a%20b?q#L1", "file:///C:/src/a%20b?q#L1"},
		{[]Prefix{wsl}, conversation.Agent, "file:///mnt/c/src/a%5Cb", stays},
		{[]Prefix{wsl}, conversation.Agent, "file://host/mnt/c/src/a", stays},
		{[]Prefix{wsl}, conversation.Agent, "file:///mnt/c/src", "file:///C:/src"},

		{[]Prefix{{`\\wsl.localhost\Ubuntu\home\me`, "/home/me"}}, conversation.Client, `\\WSL.localhost\ubuntu\home\me\x`, "/home/me/x"},
		{[]Prefix{{`\\wsl.localhost\Ubuntu\home\me`, "/home/me"}}, conversation.Client, "file://wsl.localhost/Ubuntu/home/me/x", "file:///home/me/x"},
		{[]Prefix{{`\\wsl.localhost\Ubuntu\home\me`, "/home/me"}}, conversation.Agent, "file:///home/me/x", "file://wsl.localhost/Ubuntu/home/me/x"},
		{[]Prefix{{`\\wsl$\Ubuntu`, "/"}}, conversation.Agent, "/etc/x", `\\wsl$\Ubuntu\etc\x`},
		{[]Prefix{{`\\wsl$\Ubuntu`, "/"}}, conversation.Client, `\\wsl$\Ubuntu`, "/"},
		{[]Prefix{{`\\wsl$\Ubuntu`, "/"}}, conversation.Agent, "/", `\\wsl$\Ubuntu`},
		{[]Prefix{{`C:\`, "/mnt/c"}}, conversation.Client, `C:\`, "/mnt/c"},
		{[]Prefix{{`C:\`, "/mnt/c"}}, conversation.Agent, "/mnt/c", `C:\`},
		{[]Prefix{{`C:\`, "/mnt/c"}}, conversation.Agent, "file:///mnt/c", "file:///C:/"},
		{[]Prefix{{`C:\`, "/mnt/c"}}, conversation.Client, "C:", stays},
		{[]Prefix{{`C:\`, "/mnt/c"}}, conversation.Client, `C:\..\x`, "/mnt/c/x"},
		{[]Prefix{{"/Users/me", `D:\me`}}, conversation.Agent, `d:\me\x`, "/Users/me/x"},

		{nested, conversation.Client, "/Users/me/app/x", "/workspace/x"},
		{nested, conversation.Client, "/Users/me/apps/x", "/home/me/apps/x"},
		{nested, conversation.Client, "/Users/me/b/../app/x", "/workspace/x"},
		{nested, conversation.Agent, "/home/me/x", "/Users/me/x"},
		{nested, conversation.Agent, "/home/me/app/x", stays},                        // the client's is another one
		{[]Prefix{{"relative", "/x"}, nested[0]}, conversation.Agent, "/x/y", stays}, // it is left out
		{nil, conversation.Agent, "/home/me/app/x", stays},
		{[]Prefix{{"/a", "/a"}}, conversation.Agent, "/a/x", stays},
	} {
		got, ok := NewMap(test.prefixes).Text(test.text, test.from)
		if !ok {
			got = stays
		}
		if got != test.want {
			t.Errorf("%q of the %s becomes %q, want %q", test.text, test.from, got, test.want)
		}
	}
}

// sets are valid sets of prefixes of every kind.
var sets = [][]Prefix{
	{wsl}, nested, {{`C:\`, "/mnt/c"}, {`D:\`, "/mnt/d"}, {`\\wsl.localhost\Ubuntu`, "/"}},
	{{"/Users/me", "/"}}, {{"/", "/host"}}, {{`C:\`, `D:\C`}, {`\\server\a b`, `E:\ü%`}}, {{"/x y/#1", `C:\x`}, {"/x y/#1/q", "/q?"}},
}

// names are names in paths. None contains \, which is not part of a name on Windows.
var names = []string{"a", "B", "a b", "#1", "100%", "é", "日本", "x:y", "a.b", "...", "src", "app", "lib?", `"q"`, "'", "{}", "~", "%41", "&=+"}

// A path or URI below a prefix maps back to the same. Others stay unchanged.
func TestThereAndBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	mapped, stayed := 0, 0
	for range 50_000 {
		prefixes := sets[random.IntN(len(sets))]
		m := NewMap(prefixes)
		side := []conversation.Side{conversation.Client, conversation.Agent}[random.IntN(2)]
		i := random.IntN(len(m.pairs))
		f := m.pairs[i][side.Index()]
		if random.IntN(4) == 0 { // beside the prefix
			f.text += "-"
		}
		path, uri := f.text, f.uri()
		for range 1 + random.IntN(3) {
			name := names[random.IntN(len(names))]
			path, uri = path+f.separator()+name, uri+"/"+escape(name)
		}
		for _, text := range []string{path, uri} {
			there, ok := m.Text(text, side)
			if index, _ := m.find(path, side.Index()); !ok {
				if stayed++; index >= 0 && !isHidden(m, path, side, index) {
					t.Fatalf("%q of the %s stays with %q", text, side, prefixes)
				}
				continue
			}
			mapped++
			if back, ok := m.Text(there, side.Other()); !ok || back != text {
				t.Fatalf("%q of the %s becomes %q, and that %q, with %q", text, side, there, back, prefixes)
			}
		}
	}
	if mapped < 10_000 || stayed < 5_000 {
		t.Errorf("%d were mapped and %d stayed: one of them was not tested", mapped, stayed)
	}
}

// isHidden reports whether a mapped path is below a longer prefix on the other side.
func isHidden(m *Map, path string, side conversation.Side, index int) bool {
	rest := strings.TrimPrefix(path, m.pairs[index][side.Index()].text)
	to := m.pairs[index][side.Other().Index()]
	if to.windows {
		rest = strings.ReplaceAll(rest, "/", `\`)
	} else {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	for i, p := range m.pairs {
		_, ok := p[side.Other().Index()].cut(to.text + rest)
		if i != index && ok && len(p[side.Other().Index()].text) > len(to.text) {
			return true
		}
	}
	return false
}

func TestConflict(t *testing.T) {
	for _, test := range []struct {
		earlier, p Prefix
		want       string
	}{
		{wsl, Prefix{"c:/SRC", "/x"}, "an earlier [[path]], too"},
		{wsl, Prefix{`D:\`, "/mnt/c/src"}, "a folder of its own"},
		{Prefix{"/a", "/x/y"}, Prefix{"/a/b", "/x"}, "the other way round"},
		{Prefix{"/a/b", "/x"}, Prefix{"/a", "/x/y"}, "the other way round"},
		{Prefix{"/", "/x/y"}, Prefix{"/b", "/x"}, "the other way round"},
		{Prefix{"/a", "/x"}, Prefix{"/a/b", "/x/c"}, ""},
		{nested[0], nested[1], ""},
		{wsl, Prefix{`C:\`, "/mnt/c"}, ""},
		{wsl, Prefix{"relative", "/mnt/c"}, ""}, // reported elsewhere
		{Prefix{"/a", "/x"}, Prefix{"relative", "/x/y"}, ""},
		{Prefix{"relative", "/x/y"}, Prefix{"/a", "/x"}, ""},
	} {
		err := test.p.Conflict(test.earlier)
		if got := errorText(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%q behind %q: %v, want %q", test.p, test.earlier, err, test.want)
		}
	}
}

// Folders are the same however they are spelled. Invalid folders are never the same.
func TestSameClient(t *testing.T) {
	for _, test := range []struct {
		one, other string
		want       bool
	}{
		{`C:\src`, "c:/SRC", true}, {"/a", "/a", true}, {"/", "/", true},
		{`C:\src`, `C:\src\a`, false}, {"/a/b", "/a", false}, {"/a", "/A", false},
		{"/", "relative", false}, {"relative", "/", false}, {"relative", "relative", false},
	} {
		if got := (Prefix{test.one, "/x"}).SameClient(Prefix{test.other, "/y"}); got != test.want {
			t.Errorf("%q and %q: %v", test.one, test.other, got)
		}
	}
}

func TestCheckFolder(t *testing.T) {
	for text, want := range map[string]string{
		"/": "", "/home/me": "", `C:\`: "", "C:/src": "", `\\server\share`: "", `\\server\share\a`: "", "/a b": "",
		"":                  "relative",
		"src":               "relative",
		"~/src":             "relative",
		"C:":                "relative",
		"C:src":             "relative",
		`\src`:              "relative",
		"file:///src":       "relative",
		"/src/":             "want no / at its end",
		`C:\src\`:           `want no \ at its end`,
		"C:/src/":           `want no \ at its end`,
		`\\server\share\`:   `want no \ at its end`,
		"/a//b":             "names that are empty",
		"/a/../b":           "names that are empty",
		`C:\.`:              "names that are empty",
		`\\server`:          "not a share",
		`\\`:                "relative",
		`\\?\C:\src`:        "not a share",
		"/a\xff":            "not valid Unicode",
		"/a\ufffd":          "not valid Unicode",
		`\\server\\share`:   "not a share",
		"//server/share/x/": "at its end",
	} {
		if got := errorText(CheckFolder(text)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
