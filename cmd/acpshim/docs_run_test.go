//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"golang.org/x/tools/txtar"
)

// whyNotRun are the reasons that a block may give for not being run. Each is shown with -v.
var whyNotRun = []string{
	"it needs the network",
	"it needs an editor",
	"it needs an agent with an account",
	"it needs codex-acp",
	"it needs acpx",
	"it needs a terminal",
	"it takes minutes",
	"it is for another shell",
}

// notThere are commands that documents describe and that acpshim does not have yet. Whoever adds
// one takes it out of here.
var notThere = []string{}

// fromAClone are the commands that are run in a clone: what stands for them here, where neither
// the clone nor Go's programs are. ".ci/firsttime" runs them as they are.
var fromAClone = strings.NewReplacer(
	"go run ./cmd/acpshim", "acpshim",
	"go test ./...", "true", // it is what runs this test
	"go install ./cmd/acpshim", "true",
	"$(go env GOPATH)", "$HOME/go", // go leaves a process behind, which writes into the home
)

// uncheckedLanguages are those for which there is no reader here.
var uncheckedLanguages = map[string]string{
	"go":    "contributing_test.go holds it to the code",
	"txtar": "a conversation that the test of its document plays",
}

// Every command in README.md and docs/*.md is run in a home of its own, one document after the
// other from top to bottom. Its output must be the one below it. Files that the commands need are
// in testdata/docs.txtar or docs/examples, or are blocks that name a file. "-update" writes the
// complete outputs.
func TestDocumentsShowWhatHappens(t *testing.T) {
	for _, path := range documents() {
		t.Run(filepath.Base(path), func(t *testing.T) {
			defer busy()()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			w := newWalk(t)
			var updated strings.Builder
			from := 0
			for _, b := range blocks(string(text)) {
				updated.WriteString(string(text[from:b.start]) + w.block(b).text)
				from = b.end
			}
			updated.Write(text[from:])
			if *update && updated.String() != string(text) {
				if err := os.WriteFile(path, []byte(updated.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A walk goes through a document and does what it says.
type walk struct {
	*testing.T
	home string
	env  []string
	name func(output string) string // as the document has it, with another home
}

// newWalk begins one in a home of its own, with the files of testdata/docs.txtar and docs/examples.
// Its only run is that of less-noise.jsonl.
func newWalk(t *testing.T) *walk {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("acpshim")
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{T: t, home: home}
	w.env = []string{"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + ":" + os.Getenv("PATH"), "TZ=UTC", "LC_ALL=C", "GORACE=atexit_sleep_ms=0"}
	w.name = strings.NewReplacer(home, "/home/me", program, "/home/me/go/bin/acpshim").Replace
	files, err := txtar.ParseFile("testdata/docs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files.Files {
		w.write(f.Name, f.Data)
	}
	examples, err := filepath.Glob("../../docs/examples/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w.write("docs/examples/"+filepath.Base(path), text)
		if filepath.Base(path) == "less-noise.jsonl" {
			w.write(".local/state/acpshim/records/20261122T175233.479Z-demo-agent-4242-cacb615d.jsonl", text)
		}
	}
	return w
}

func (w *walk) write(name string, data []byte) {
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o700); err != nil { // some are programs
		w.Fatal(err)
	}
}

// block checks a block, and returns it with the outputs of today.
func (w *walk) block(b fenced) fenced {
	switch reason := b.notRun(); {
	case reason != "" && !slices.Contains(whyNotRun, reason):
		w.Errorf("line %d: %q is no reason not to be run: want one of %q", b.line, reason, whyNotRun)
	case reason != "":
		w.Logf("line %d: not run: %s", b.line, reason)
	case namesCommand(b.text, notThere):
		w.Logf("line %d: not run: acpshim does not have that command yet", b.line)
	case b.isSession():
		return w.session(b)
	case b.lang == "sh":
		if output, err := w.run("set -e\n" + fromAClone.Replace(b.text)); err != nil {
			w.Errorf("line %d: %v\n%s", b.line, err, output)
		}
	case b.file != "" && b.lang != "text":
		w.write(b.file, []byte(b.text))
	default:
		w.snippet(b)
	}
	return b
}

// session runs the commands of a session, and returns it with the outputs of today.
func (w *walk) session(b fenced) fenced {
	var text strings.Builder
	from := 0
	for _, c := range b.commands() {
		text.WriteString(b.text[from:c.start] + w.command(b, c))
		from = c.end
	}
	b.text = text.String() + b.text[from:]
	return b
}

// command runs a command of a session, and returns the output that the document is to show. A
// command may fail if the document shows what it prints then.
func (w *walk) command(b fenced, c command) string {
	output, err := w.run(fromAClone.Replace(c.text))
	switch {
	case strings.TrimSpace(c.output) == "...":
		w.Errorf("line %d: %s: nothing of the output is shown", b.line, c.text)
	case err != nil && strings.TrimSpace(output) == "":
		w.Errorf("line %d: %s: %v", b.line, c.text, err)
	case matches(c.output, output):
	case *update && !strings.Contains("\n"+c.output, "\n...\n"):
		return output
	default:
		w.Errorf("line %d: %s: the document shows\n%s\nand this is what comes:\n%s", b.line, c.text, c.output, output)
	}
	return c.output
}

// run runs commands by a shell, and returns what they print.
func (w *walk) run(commands string) (output string, err error) {
	c := exec.Command("sh", "-c", commands)
	c.Dir, c.Env = w.home, w.env
	b, err := c.CombinedOutput()
	return w.name(string(b)), err
}

// snippet checks a block that is no command.
func (w *walk) snippet(b fenced) {
	switch b.lang {
	case "toml":
		w.write("snippet.toml", []byte(b.text))
		if output, err := w.run("acpshim config check snippet.toml"); err != nil {
			w.Errorf("line %d: %v\n%s", b.line, err, output)
		}
	case "json", "jsonc":
		value, err := hujson.Parse([]byte(b.text))
		if err != nil || b.lang == "json" && !value.IsStandard() {
			w.Errorf("line %d: no %s: %v", b.line, b.lang, err)
		}
	case "lua", "elisp":
		if bracket := unbalanced(b.text); bracket != "" {
			w.Errorf("line %d: %q has no partner", b.line, bracket)
		}
	case "", "text":
		w.picture(b)
	default:
		why := uncheckedLanguages[b.lang]
		if why == "" {
			w.Errorf("line %d: there is no check for a block of %q", b.line, b.lang)
		}
		w.Logf("line %d: not run: %s", b.line, why)
	}
}

// picture checks a block that is for the eye: it has no commands that nobody runs, and is what
// happens where it names a transcript.
func (w *walk) picture(b fenced) {
	if b.file != "" {
		a, err := txtar.ParseFile(filepath.Join("../../testdata/transcripts", b.file))
		if err != nil {
			w.Fatal(err)
		}
		if drawn := drawing(a); drawn != b.text {
			w.Errorf("line %d: %s is drawn otherwise; this is what happens:\n%s", b.line, b.file, drawn)
		}
	}
	for line := range strings.Lines(b.text) {
		for _, program := range []string{"acpshim ", "go ", "npx ", "uvx ", "$ "} {
			if strings.HasPrefix(line, program) {
				w.Errorf("line %d: commands are in blocks of sh or console: %s", b.line, line)
			}
		}
	}
}

// namesCommand reports whether commands of acpshim with one of these names are in a text.
func namesCommand(text string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(strings.ReplaceAll(text, "\n", " ")+" ", "acpshim "+name+" ")
	})
}

func TestNotThereHasNoExistingCommand(t *testing.T) {
	for _, c := range newRoot().Commands() {
		if slices.Contains(notThere, c.Name()) {
			t.Errorf("%q is there now: take it out of notThere, so that what documents show of it is run", c.Name())
		}
	}
}
