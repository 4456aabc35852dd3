package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/log/query"
	"acpshim/internal/log/stats"

	"github.com/dop251/goja"
)

// A script is the page's, with the data of a record, in an interpreter in place of a
// browser.
type script struct {
	t  *testing.T
	vm *goja.Runtime
}

func newScript(t *testing.T, source string) script {
	t.Helper()
	d, err := json.Marshal(inside(t, written(t, source, Options{})))
	if err != nil {
		t.Fatal(err)
	}
	s := script{t, goja.New()}
	s.vm.Set("source", string(d))
	s.run("const record = JSON.parse(source), rows = record.rows;")
	for _, name := range []string{"text.js", "marks.js", "glob.js", "query.js", "folds.js"} {
		s.run(embedded(name))
	}
	s.run(`findStreams();
		const latencyOf = (row) => (row.kind === "response" && row.request !== undefined ? row.at - rows[row.request].at : undefined);
		const bytesOf = (text) => unescape(encodeURIComponent(text)).length;
		function meantBy(text) {
			let meant;
			try {
				meant = parseQuery(text);
			} catch (e) {
				if (!(e instanceof QueryError)) throw e;
				return "! " + bytesOf(text.slice(0, e.at)) + " " + e.message;
			}
			return rows.filter(meant).map((row) => row.seq).join(" ");
		}
		const open = rows.filter((row) => row.kind === "request" && (row.stage !== "out" || row.of === undefined) && row.response === undefined).map((row) => row.seq).join(" ");`)
	return s
}

func (s script) run(code string) goja.Value {
	s.t.Helper()
	v, err := s.vm.RunString(code)
	if err != nil {
		s.t.Fatalf("%v in %.200s", err, code)
	}
	return v
}

func (s script) call(name string, args ...any) string {
	s.t.Helper()
	f, ok := goja.AssertFunction(s.vm.Get(name))
	if !ok {
		f, ok = goja.AssertFunction(s.run(name))
	}
	var values []goja.Value
	for _, arg := range args {
		values = append(values, s.vm.ToValue(arg))
	}
	v, err := f(goja.Undefined(), values...)
	if err != nil || !ok {
		s.t.Fatalf("%s%q: %v", name, args, err)
	}
	return v.String()
}

// The files of the script are one script, in which each name is declared once.
func TestTheScriptIsOne(t *testing.T) {
	all := ""
	for _, name := range scripts {
		all += embedded(name)
	}
	if _, err := goja.Compile("page", all, true); err != nil {
		t.Fatal(err)
	}
	if _, err := goja.Compile("page", all+"const byID = 1;", true); err == nil {
		t.Error("a name that is given twice is not seen")
	}
}

// The page's filter matches the same messages as that of the command line. Both are tested with
// testdata/vectors.txt of package query, see TestVectors there.
func TestThePageRunsTheVectors(t *testing.T) {
	zone := time.Local
	time.Local = time.FixedZone("", 3600)
	defer func() { time.Local = zone }()
	source, err := os.ReadFile("../query/testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := os.ReadFile("../query/testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := newScript(t, string(source))
	tried := 0
	for line := range strings.Lines(string(vectors)) {
		text, want, isVector := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !isVector {
			continue
		}
		tried++
		if got := s.call("meantBy", text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if tried < 60 {
		t.Errorf("%d vectors were tried", tried)
	}

	// A request without a response on the page has none on the command line.
	var open []string
	for _, call := range stats.Of(read(t, string(source))).Unanswered {
		open = append(open, fmt.Sprint(call.Seq))
	}
	if got, want := s.run("open").String(), strings.Join(open, " "); got != want || !slices.Contains(open, "19") || slices.Contains(open, "16") {
		t.Errorf("open are %s, want %s", got, want)
	}
}

// The counts of TestBrowser, without a browser.
func TestThePageCounts(t *testing.T) {
	s := newScript(t, conversation(1))
	for text, want := range filterCounts {
		got := 0
		if meant := s.call("meantBy", text); meant != "" {
			got = len(strings.Fields(meant))
		}
		if got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// A minute never has 60 seconds, nor a second 1000 milliseconds.
func TestDurationsOnThePage(t *testing.T) {
	s := newScript(t, conversation(1))
	for us, want := range map[int]string{
		0: "0 µs", 999: "999 µs", 1000: "1.0 ms", 99_949: "99.9 ms", 99_950: "100 ms", 999_499: "999 ms", 999_500: "1.00 s",
		59_994_999: "59.99 s", 59_995_000: "1 min 0 s", 119_499_999: "1 min 59 s", 119_500_000: "2 min 0 s", 119_999_999: "2 min 0 s", 3_600_000_000: "60 min 0 s",
	} {
		if got := s.call("duration", us); got != want {
			t.Errorf("%d µs: %s, want %s", us, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB"} {
		if got := s.call("bytes", n); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}

// Random queries match the same messages, or have the same error.
func TestThePageAgreesOnAnyQuery(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	zone := time.Local
	time.Local = time.FixedZone("", -9000)
	defer func() { time.Local = zone }()
	source, err := os.ReadFile("../query/testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s, h := newScript(t, string(source)), read(t, string(source))
	r := rand.New(rand.NewPCG(5, 3))
	parts := slices.Concat(query.Names, []string{
		":", ":", ":", ":", "-", "!", "=", " ", " ", `"`, `\`, "*", "?", "[", "]", "{", ",", "}", "a", "p", "agent", "client", "yes", "no", "response", "request",
		"session/", "plan", "new", "1", "2", "7", "20", "0", ".", "e", "+", "s", "ms", "m", "h", "µs", ":00", "11:00", "T", "Z", "2026-03-04T10:00:1", "é", "Ä", "ſ", "\u00a0", "\u2028", "\t",
	})
	for range 500 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := b.String()
		want := ""
		q, err := query.Parse(text)
		var wrong *query.Error
		if errors.As(err, &wrong) {
			want = fmt.Sprintf("! %d %s", wrong.At, wrong.Problem)
		} else {
			var numbers []string
			others, match := h.Others, q.Of(h.All()).Next
			for _, m := range h.Messages {
				for ; len(others) > 0 && others[0].Seq < m.Seq; others = others[1:] {
					if q.MatchOther(others[0]) {
						numbers = append(numbers, fmt.Sprint(others[0].Seq))
					}
				}
				if match(m) {
					numbers = append(numbers, fmt.Sprint(m.Seq))
				}
			}
			want = strings.Join(numbers, " ")
		}
		got := s.call("meantBy", text)
		if strings.HasPrefix(got, "! ") && strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
			got, want = strings.Join(strings.Fields(got)[:2], " "), strings.Join(strings.Fields(want + " ! !")[:2], " ") // names are quoted in other ways
		}
		if got != want {
			t.Errorf("%q: the page\n%s\nthe command line\n%s", text, got, want)
		}
	}
}
