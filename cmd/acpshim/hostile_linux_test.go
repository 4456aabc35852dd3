package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"acpshim/filters"
	"acpshim/internal/run/logging"
	"acpshim/internal/setup/config"

	"github.com/spf13/cobra"
)

// hostile is text that a terminal obeys, or that deceives a reader: all that a TOML
// file, a JSON text and the name of a file can have, and a line of its own at the end.
// Evil is what tests look for.
var hostile = func() string {
	var b strings.Builder
	b.WriteString("evil")
	for r := rune(1); r < 0xa0; r++ {
		if r < ' ' && r != '\n' || r >= 0x7f {
			b.WriteRune(r)
		}
	}
	b.WriteString("\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff\u00ad\U000e0001\U000e0041\nforged")
	return b.String()
}()

// unseen is that part of it which TOML has in comments, too.
var unseen = hostile[strings.Index(hostile, "\u0080"):strings.Index(hostile, "\n")]

// hostileBytes has bytes that are no UTF-8, too.
var hostileBytes = hostile + "\x00\xff\x9b\xe2\x80"

// inTOML is it in quotes, with what TOML allows as it is.
func inTOML(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || r == 0x7f {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// inJSON is it in quotes, with what JSON allows as it is.
func inJSON(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text)
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(b.String()))
}

// whole puts hostile text where @ is: as JSON has it, as TOML for #.
func whole(text string) string {
	return strings.NewReplacer("@", inJSON(hostile), "#", inTOML(hostile)).Replace(text)
}

const hostileConfig = `
[redact]
keys = [#]
[agents.#]
command = [#, #]
env = { # = # }
[[profile]]
name = #
client = "* #"
agent = #
plan.file.roots = ["/#"]
[[plan.tool]]
name = #
title = [#]
list = ["/#"]
[[rule]]
name = #
from = "both"
log = true
when.has = ["/method"]
[[rule]]
name = "two #"
method = "session/update"
when.equals = { "/params/#" = # }
log = true
[[rule]]
name = "three #"
method = #
set = { "/params/#" = { # = [#] } }
[[rule]]
name = "four #"
method = #
jq = 'error(#)'
`

const hostileRecord = `{"kind":"start","schema":1,"time":"2026-03-04T10:00:00Z","run":@,"acpshim":@,"go":@,"os":@,"arch":@,"config":@,"cwd":@,"cpus":8,"pid":7,"argv":[@,@]}
{"kind":"message","seq":1,"time":"2026-03-04T10:00:01Z","mono":1000000,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":@,"version":@}}}}
{"kind":"message","seq":2,"time":"2026-03-04T10:00:01Z","mono":2000000,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":@,"version":@}}}}
{"kind":"message","seq":3,"time":"2026-03-04T10:00:01Z","mono":3000000,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":@,"method":@,"params":{"sessionId":@,@:@}}}
{"kind":"message","seq":4,"time":"2026-03-04T10:00:01Z","mono":4000000,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","id":@,"error":{"code":@,"message":@,"data":@}}}
{"kind":"message","seq":5,"time":"2026-03-04T10:00:01Z","mono":5000000,"dir":"agent","len":1,"stage":"in","by":[@],"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":@,"entries":[{"content":@,"status":@,"priority":@}]}}}}}
{"kind":"message","seq":6,"time":"2026-03-04T10:00:01Z","mono":6000000,"dir":"agent","len":1,"stage":"out","of":5,"by":[@],"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan","entries":[{"content":@,"status":"pending","priority":"low"}]}}}}
{"kind":"message","seq":7,"time":"2026-03-04T10:00:01Z","mono":7000000,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":@}}}}}
{"kind":"message","seq":8,"time":"2026-03-04T10:00:01Z","mono":8000000,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":@,"uri":@}}}}}
{"kind":"message","seq":9,"time":"2026-03-04T10:00:01Z","mono":9000000,"dir":"agent","len":1,"b64":"BASE64"}
{"kind":"stderr","seq":10,"time":"2026-03-04T10:00:01Z","mono":10000000,"text":@}
{"kind":"event","seq":11,"time":"2026-03-04T10:00:01Z","mono":11000000,"event":{"level":@,"message":@,@:@}}
{"kind":"gap","seq":12,"time":"2026-03-04T10:00:01Z","mono":12000000,"stream":@,"count":1,"bytes":1,"why":@}
{"kind":"end","seq":13,"time":"2026-03-04T10:00:01Z","mono":13000000,"status":1,"signal":@,"client":{"lines":1,"bytes":1},"agent":{"lines":1,"bytes":1},"gaps":1,"lost":{"lines":1,"bytes":1}}
`

const hostileConversation = `-- client --
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":@,"version":@},"clientCapabilities":{}}}
{"jsonrpc":"2.0","id":1,"method":@,"params":{@:@}}
-- agent --
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":@,"version":@}}}
BYTES
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":@,"content":@}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":@,"content":"{"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan_update","plan":{"type":@,"planId":@}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":@,"uri":@}}}}
{"jsonrpc":"2.0","method":@,"params":{@:@,@:1}}
-- to client --
{"jsonrpc":"2.0","method":@,"params":{@:[@]}}
BYTES
`

// A hostileRun is a command that is given hostile text.
type hostileRun struct {
	args  []string
	stdin string
	of    string // what is looked at: "" is both streams, "terminal" the same on one, "stderr" that alone
	mute  bool   // of the text nothing is to be seen
}

// hostileRuns are by command; each has to have one. In arguments DIR is a folder of such a name
// with the files below, EVIL
// such a name, and HOME a folder; in texts @ is the text in JSON.
var hostileRuns = map[string][]hostileRun{
	"": {
		{args: []string{"--count-rules", "--log-level", "debug", "--", "cat", "DIR/conversation"}, stdin: hostileConversation, of: "stderr"},
		{args: []string{"--count-rules", "--log-file", "HOME/log", "--set", "junk=\"drop\"", "--", "cat", "DIR/conversation"}, stdin: hostileConversation, of: "stderr"},
		{args: []string{"--record", "--set", "record.folder=\"/dev/null/EVIL\"", "--", "true"}, of: "stderr"},
		{args: []string{"EVIL"}}, {args: []string{"./EVIL"}}, {args: []string{"DIR"}}, {args: []string{"--start", "EVIL"}},
		{args: []string{"--start", "registry:EVIL"}}, {args: []string{"--start", "registry:evi"}}, {args: []string{"--start", "registry:x"}}, {args: []string{"--start", "registry:z"}},
		{args: []string{"--log-level", "EVIL", "x"}}, {args: []string{"--log-file", "/dev/null/EVIL", "x"}}, {args: []string{"--agent", "EVIL", "--agent", "x", "x"}},
	},
	"config check": {{args: []string{"DIR/wrong.toml"}}, {args: []string{"DIR/broken.toml"}}, {args: []string{"DIR/none.toml"}}, {args: []string{"DIR/config.toml"}},
		{args: []string{"--set", "EVIL=1"}}, {args: []string{"--set", "plan.policy=EVIL"}}},
	"config show": {{args: []string{"--config", "DIR/config.toml"}}, {args: []string{"--client", "x EVIL"}}, {args: []string{"--files", "--config", "DIR/config.toml"}}, {args: []string{"--set", "agents.x.command=[\"EVIL\"]"}}},
	"config init": {{args: []string{"DIR/fresh.toml"}}, {args: []string{"DIR/config.toml"}}},
	"rules test":  {{args: []string{"DIR/conversation"}}, {args: []string{"DIR/wrong.toml"}}, {args: []string{"DIR/none"}}, {args: []string{"--update", "DIR/conversation2"}}},
	"rules explain": {{args: []string{"DIR/conversation"}}, {stdin: hostileConversation}, {stdin: `{"jsonrpc":"2.0","method":@,"params":{@:@}}`},
		{stdin: `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":@,"update":{"sessionUpdate":@}}}`}, {stdin: "BYTES"}, {args: []string{"--from", "EVIL"}},
		{args: []string{"--client-has", "EVIL"}, stdin: "{}"}},
	"doctor": {{args: []string{"--client", "EVIL", "--", "cat", "DIR/conversation"}}, {args: []string{"--", "sh", "-c", "echo EVIL >&2; exit 1"}}, {args: []string{"--", "EVIL"}},
		{args: []string{"--start", "EVIL"}}, {args: []string{"http://127.0.0.1:1/EVIL"}, mute: true}, {args: []string{"--json", "--client", "EVIL", "--", "cat", "DIR/conversation"}}},
	"check": {{args: []string{"--", "cat", "DIR/conversation"}}, {args: []string{"--", "cat", "DIR/conversation"}, of: "terminal"}, {args: []string{"--json", "--", "cat", "DIR/conversation"}},
		{args: []string{"--format", "junit", "--", "cat", "DIR/conversation"}}, {args: []string{"--", "sh", "-c", "echo EVIL >&2; exit 1"}}, {args: []string{"--case", "EVIL", "--", "x"}}, {args: []string{"--start", "EVIL"}}, {args: []string{"--", "EVIL"}}},
	"connect": {{args: []string{"EVIL"}, mute: true}, {args: []string{"ws://EVIL"}, mute: true}, {args: []string{"--transport", "EVIL", "ws://x"}}, {args: []string{"--header-file", "DIR/none", "ws://x"}},
		{args: []string{"--header", "EVIL", "ws://x"}, mute: true}, {args: []string{"--ca", "DIR/plan.md", "ws://x"}}, {args: []string{"http://127.0.0.1:1/EVIL"}, mute: true}},
	"serve": {{args: []string{"--listen", "EVIL", "--", "x"}}, {args: []string{"--cert", "DIR/none", "--key", "DIR/none", "--", "x"}}, {args: []string{"--start", "xEVIL"}},
		{args: []string{"--set", "serve.token_file=\"/dev/null/EVIL\"", "--", "x"}}, {args: []string{"--set", "serve.origins=[\"EVIL\"]", "--", "x"}}},
	"demo":       {{args: []string{"EVIL"}}},
	"plan":       {{args: []string{"DIR/plan.md"}}, {args: []string{"--explain", "DIR/plan.md"}}, {args: []string{"--json", "DIR/plan.md"}}, {args: []string{"DIR/plan.json"}}, {args: []string{"DIR/none"}}},
	"completion": {{args: []string{"EVIL"}, mute: true}},
	"help":       {{args: []string{"EVIL"}}, {args: []string{"log", "EVIL"}}},
	"version":    {{args: []string{"EVIL"}}},
	"wrap": {{args: []string{"EVIL", "x"}}, {args: []string{"acpx", "EVIL"}}, {args: []string{"acpx", "EVIL", "--", "sh", "EVIL"}}, {args: []string{"acpx", "evil", "--dry-run", "--", "sh", "EVIL"}},
		{args: []string{"zed", "x", "--file", "DIR/conversation"}}, {args: []string{"acpx", "x"}}},
	"unwrap":   {{args: []string{"EVIL", "x"}}, {args: []string{"zed", "EVIL"}}, {args: []string{"zed", "x", "--file", "DIR/none"}}},
	"log list": {{args: nil, mute: true}, {args: []string{"--json"}}, {args: nil, of: "terminal", mute: true}, {args: []string{"--set", "record.folder=\"/dev/null/EVIL\""}}},
	"log show": {{args: []string{"--run", "DIR/r.jsonl"}}, {args: []string{"--run", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--format", "raw", "--run", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--json", "--run", "DIR/r.jsonl"}, of: "terminal"},
		{args: []string{"--run", "DIR/r.jsonl", "rule:EVIL[", "x"}}, {args: []string{"--run", "DIR/r.jsonl", "EVIL:x"}}, {args: []string{"--run", "DIR/r.jsonl", "nothing EVIL"}}, {args: []string{"--run", "20260304T1EVIL.jsonl"}},
		{args: []string{"-n", "20", "--run", "DIR/r.jsonl"}}, {args: []string{"-n", "20", "--run", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--all", "evil"}}, {args: []string{"--format", "raw", "evil", "--run", "DIR/r.jsonl"}, of: "terminal"}},
	"log summary":  {{args: []string{"--run", "DIR/r.jsonl"}}, {args: []string{"--json", "--run", "DIR/r.jsonl"}}},
	"log watch":    {{args: []string{"rule:EVIL[", "x"}}, {args: []string{"--run", "EVIL"}, mute: true}},
	"log stats":    {{args: []string{"--run", "DIR/r.jsonl"}}, {args: []string{"--json", "--run", "DIR/r.jsonl"}}},
	"log validate": {{args: []string{"--run", "DIR/r.jsonl"}}, {args: []string{"--json", "--run", "DIR/r.jsonl"}}, {args: []string{"--format", "junit", "--run", "DIR/r.jsonl"}}, {args: []string{"--format", "sarif", "--run", "DIR/r.jsonl"}}},
	"log diff":     {{args: []string{"DIR/r.jsonl", "DIR/plan.md"}}, {args: []string{"DIR/r.jsonl", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--json", "DIR/r.jsonl", "DIR/r.jsonl"}}, {args: []string{"EVIL", "last"}}},
	"log export": {{args: []string{"--no-redact", "--run", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--format", "txtar", "--no-redact", "--run", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--format", "trace", "--no-redact", "--run", "DIR/r.jsonl"}, of: "terminal"},
		{args: []string{"--format", "txtar", "--run", "DIR/r.jsonl"}, of: "stderr", mute: true}, {args: []string{"--format", "EVIL", "--run", "DIR/r.jsonl"}}, {args: []string{"--run", "DIR/r.jsonl", "-o", "DIR/plan.md"}}, {args: []string{"--run", "DIR/r.jsonl", "nothing EVIL"}}},
	"log open": {{args: []string{"--run", "DIR/r.jsonl"}, mute: true}, {args: []string{"--run", "20260304T1EVIL.jsonl"}}, {args: []string{"--run", "DIR/r.jsonl", "-o", "DIR/r.html"}}, {args: []string{"--run", "DIR/r.jsonl", "-o", "DIR/plan.md"}}, {args: []string{"--no-redact", "--run", "DIR/r.jsonl", "-o", "-"}, of: "terminal"}},
	"log replay": {{args: []string{"--run", "DIR/r.jsonl"}, of: "terminal"}, {args: []string{"--diff", "--run", "DIR/r.jsonl"}}, {args: []string{"--run", "DIR/r.jsonl"}, of: "stderr"},
		{args: []string{"--as-client", "--run", "DIR/r.jsonl", "--", "cat", "DIR/conversation"}, of: "terminal"}, {args: []string{"--as-client", "--diff", "--run", "DIR/r.jsonl", "--", "cat", "DIR/conversation"}},
		{args: []string{"--as-agent", "--run", "DIR/r.jsonl"}, stdin: hostileConversation, of: "stderr", mute: true}},
	"log prune":  {{args: []string{"--keep", "1B", "--set", "record.folder=\"DIR/old\""}}, {args: []string{"--keep", "EVIL"}}},
	"__complete": {{args: []string{"--start", ""}, mute: true}, {args: []string{"log", "show", ""}, mute: true}},
}

// Whatever a file, its name, a configuration, an argument or a record says: no command
// prints what a terminal obeys, or what deceives a reader.
func TestNoCommandPrintsWhatATerminalObeys(t *testing.T) {
	long(t)
	var commands []string
	var walk func(c *cobra.Command, path string)
	walk = func(c *cobra.Command, path string) {
		if sub := c.Commands(); len(sub) > 0 && path != "" && path != "demo" {
			for _, s := range sub {
				walk(s, path+" "+s.Name())
			}
			return
		} else if path == "" {
			for _, s := range sub {
				walk(s, s.Name())
			}
		}
		commands = append(commands, path)
	}
	walk(newRoot(), "")
	commands = append(commands, "__complete") // cobra's
	slices.Sort(commands)
	if have := slices.Sorted(maps.Keys(hostileRuns)); !slices.Equal(have, commands) {
		t.Fatalf("the commands are\n%q\nand tried are\n%q", commands, have)
	}
	for _, command := range commands {
		runs := slices.Concat(hostileRuns[command], []hostileRun{{args: []string{"--no-EVIL"}, mute: command == "__complete"}})
		if command != "" && command != "__complete" {
			runs = append(runs, hostileRun{args: []string{"--config", "DIR/wrong.toml", "x", "EVIL.jsonl", "z"}, mute: true})
		}
		t.Run(strings.ReplaceAll("acpshim "+command, " ", "_"), func(t *testing.T) {
			t.Parallel()
			defer busy()()
			for _, run := range runs {
				run.try(t, command)
			}
		})
	}
}

// folder makes a folder of a hostile name with hostile files, and the user's own
// configuration and records.
func hostileFolder(t *testing.T) (home, dir string) {
	t.Helper()
	home = t.TempDir()
	name := strings.ReplaceAll(hostile, "/", "")
	name = strings.ToValidUTF8(name[:min(len(name), 200)], "") + "\xff"
	dir = filepath.Join(home, name)
	text := whole(strings.ReplaceAll(hostileConversation, "BYTES", strings.ReplaceAll(hostileBytes, "\n", "")))
	b64, _ := json.Marshal([]byte(strings.ReplaceAll(hostileBytes, "\n", "") + "\n"))
	record := strings.ReplaceAll(whole(hostileRecord), `"BASE64"`, string(b64))
	jq, _ := json.Marshal(hostile)
	settings := whole(strings.NewReplacer(`"* #"`, `"* `+inTOML(hostile)[1:], `"two #"`, `"two `+inTOML(hostile)[1:], `"three #"`, `"three `+inTOML(hostile)[1:],
		`"four #"`, `"four `+inTOML(hostile)[1:], `error(#)`, "error("+strings.ReplaceAll(string(jq), "\x7f", "")+")", `"/#"`, `"/`+inTOML(hostile)[1:], `"/params/#"`, `"/params/`+inTOML(hostile)[1:]).Replace(hostileConfig))
	for path, text := range map[string]string{
		dir + "/conversation":  text,
		dir + "/conversation2": text,
		dir + "/plan.md":       "# " + hostileBytes + "\n\n- [ ] " + hostileBytes + "\n- [x] two\t" + hostile + "\n",
		dir + "/plan.json":     whole(`{"todos":[{"content":@,"status":@,"priority":@}]}`),
		dir + "/r.jsonl":       record,
		dir + "/old/20260101T100000.000Z-x-1-aabbccdd.jsonl": record,
		dir + "/config.toml":                 settings,
		dir + "/wrong.toml":                  whole("[plan]\n# = 1 # comment " + unseen + "\npolicy = #\n[[rule]]\nname = #\nbad = #\n"),
		dir + "/broken.toml":                 "x = \"" + hostileBytes + "\"\n" + hostileBytes,
		home + "/config/acpshim/config.toml": settings,
		home + "/.local/share/zed/external_agents/registry/registry.json": whole(`{"agents":[{"id":@},{"id":"z","distribution":{"uvx":{"package":"-y","cmd":@}}},{"id":"x","distribution":{"binary":{"linux-` +
			map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + `":{"archive":@,"cmd":@,"args":[@]}}}}]}`),
		home + "/state/acpshim/records/20260304T100000.000Z-x-7-aabbccdd.jsonl": record,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

func (run hostileRun) try(t *testing.T, command string) {
	t.Helper()
	home, dir := hostileFolder(t)
	args := strings.Fields(command)
	for _, arg := range run.args {
		if strings.HasPrefix(arg, "record.folder") { // TOML is UTF-8
			renamed := filepath.Join(home, "evil\u202e\x7f")
			os.Rename(dir, renamed)
			dir = renamed
		}
		args = append(args, strings.NewReplacer("DIR", dir, "HOME", home, "EVIL", strings.ReplaceAll(hostile, "/", "")).Replace(arg))
	}
	cmd := exec.Command("acpshim", args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state", "XDG_DATA_HOME=", "PAGER=", "BROWSER=true", "TMPDIR="+dir, "NO_COLOR=1", "TERM=xterm")
	cmd.Stdin = strings.NewReader(whole(strings.ReplaceAll(run.stdin, "BYTES", strings.ReplaceAll(hostileBytes, "\n", ""))))
	var printed bytes.Buffer
	switch run.of {
	case "terminal":
		master, terminal := openTerminal(t)
		cmd.Stdout, cmd.Stderr = terminal, terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		io.Copy(&printed, master)
		cmd.Wait()
	case "stderr":
		cmd.Stderr = &printed
		cmd.Run()
	default:
		cmd.Stdout, cmd.Stderr = &printed, &printed
		cmd.Run()
	}
	text := printed.String()
	if run.of == "terminal" {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if log, err := os.ReadFile(filepath.Join(home, "log")); err == nil {
		text += string(log)
	}
	tame(t, fmt.Sprintf("%q", args), text)
	if !strings.Contains(strings.Join(run.args, ""), "DIR/wrong") && !strings.Contains(strings.Join(run.args, ""), "DIR/broken") && strings.Contains(text, "configuration is wrong") && !strings.Contains(text, "\n--set") {
		t.Errorf("%q: the configuration of this test is wrong:\n%s", args, text)
	}
	if !run.mute && !strings.Contains(text, "evil") {
		t.Errorf("%q prints nothing of the text: %q", args, text)
	}
}

// tame checks that a text has nothing of what hostile has.
func tame(t *testing.T, what, text string) {
	t.Helper()
	if i := strings.Index(text, "\nforged"); i >= 0 {
		t.Errorf("%s: a line is forged, behind %q", what, text[max(0, i-200):i])
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: no UTF-8: %q", what, text[:min(len(text), 3000)])
	}
	for i, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r > 0xa0 && r != '…' && strings.ContainsRune(hostile, r) {
			t.Errorf("%s: %U is printed, behind %q", what, r, text[max(0, i-200):i])
			return
		}
	}
}

// Whatever is logged, in words and as JSON: of each event of the filters and rules.
func TestNoLogLineHasWhatATerminalObeys(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"words", "JSON"} {
		file := filepath.Join(t.TempDir(), "log")
		stderr, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		c := config.Default()
		c.Log.Level = "debug"
		if format == "JSON" {
			c.Log.File = file
		}
		logFile, err := openLog(c)
		if err != nil {
			t.Fatal(err)
		}
		log, closeLog := logging.New(c, logFile, stderr, nil)
		lines := 0
		told := logging.Events(log)
		for _, events := range []any{told.Plans, told.Rules, struct {
			Unread   func(error)
			Evicted  func(string)
			Answered func(rule, option, title string)
		}{told.Unread, told.Evicted, told.Answered}} {
			for v, i := reflect.ValueOf(events), 0; i < v.NumField(); i++ {
				if f := v.Field(i); f.Kind() == reflect.Func && !f.IsNil() {
					var in []reflect.Value
					for n := range f.Type().NumIn() {
						in = append(in, filled(t, f.Type().In(n)))
					}
					f.Call(in)
					lines++
				}
			}
		}
		for _, policy := range []filters.JunkPolicy{filters.JunkPass, filters.JunkDrop} {
			told.Junk(policy, []byte("evil\x1b\x9b\xff"+unseen), 1)
			lines++
		}
		log.Error().Err(errors.New(hostileBytes)).Strs("many", []string{hostileBytes}).Interface("any", map[string]string{hostile: hostileBytes}).
			Bytes("bytes", []byte(hostileBytes)).Str("emoji", "👨\u200d👩").Msg(hostileBytes)
		lines++
		closeLog()
		stderr.Close()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tame(t, format, string(text))
		if n := bytes.Count(text, []byte("\n")); n != lines || lines < 12 {
			t.Errorf("%s: %d lines are logged, want %d:\n%s", format, n, lines, text)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "evil") && !strings.Contains(line, "7") {
				t.Errorf("%s: nothing of the text is in %s", format, line)
			}
			if format == "JSON" && !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %s", line)
			}
		}
		if !strings.Contains(string(text), "👨\u200d👩") {
			t.Errorf("%s: joined emoji are not joined", format)
		}
	}
}

// filled is a value of a type with hostile text in all of its places.
func filled(t *testing.T, of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch {
	case of == reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(errors.New(hostileBytes)))
	case of == reflect.TypeFor[[]byte]():
		v.SetBytes([]byte("{\r" + whole(`@:[@]}`)))
	case of.Kind() == reflect.String:
		v.SetString(hostileBytes)
	case of.Kind() == reflect.Int:
		v.SetInt(7)
	case of.Kind() == reflect.Bool:
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			if v.Field(i).CanSet() {
				v.Field(i).Set(filled(t, of.Field(i).Type))
			}
		}
	default:
		t.Logf("no value is made of %v", of)
	}
	return v
}
