//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/export"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/run/demo"
	"acpshim/internal/run/planfile"
	"acpshim/internal/run/recording"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
	"acpshim/translate/plans"

	"github.com/rs/zerolog"
	"golang.org/x/tools/txtar"
)

// recordTranscript records a transcript as it goes through its chain, and
// returns the path of the record.
func recordTranscript(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "records")
	recorder, err := record.New(record.Options{Dir: dir, Argv: []string{"agent"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := transcriptConfig(config.Default(), "transcript", a)
	if err != nil {
		t.Fatal(err)
	}
	chain := transcriptChain(c, zerolog.New(zerolog.NewTestWriter(t)), func(e *relay.Events) {
		e.Plans.FileRead = func(f plans.FileText) {
			path, err := planfile.Path(f.URI)
			if err != nil {
				path = f.URI
			}
			recorder.FileRead(record.File{Path: path, Text: f.Text, Noticed: f.Noticed, Busy: f.Busy})
		}
	})
	for _, f := range a.Files {
		if file, ok := transcript.FileOf(f.Name); ok {
			file.Text = string(f.Data)
			if out := chain.SetFile(file); len(out) > 0 {
				recorder.Tap(record.Agent).Rewritten(nil, out, wire.Change{By: []wire.Cause{{Name: "plan"}}})
			}
			continue
		}
		look, tap := chain.FromClient, recorder.Tap(record.Client)
		switch f.Name {
		case "agent":
			look, tap = chain.FromAgent, recorder.Tap(record.Agent)
		case "client":
		default:
			continue
		}
		if err := proxy.RelayTapped(io.Discard, bytes.NewReader(f.Data), look, tap, 1<<20); err != nil {
			t.Fatal(err)
		}
		for _, d := range []struct {
			look wire.Interceptor
			tap  proxy.Tap
		}{{chain.FromAgent, recorder.Tap(record.Agent)}, {chain.FromClient, recorder.Tap(record.Client)}} {
			if out, by := d.look.Drain(nil); len(out) > 0 {
				d.tap.Rewritten(nil, out, by)
			}
		}
	}
	if err := recorder.Close(record.Outcome{}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, recorder.Name())
}

// TestAnExportedConversationPlaysTheSame records each transcript, exports that
// without its secrets, and plays the export through the same chain.
func TestAnExportedConversationPlaysTheSame(t *testing.T) {
	long(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	paths, _ := filepath.Glob("../../testdata/transcripts/*.txtar")
	played := 0
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ours := []string{"[[permission]]", "[[path]]", "services.terminal", "services.fs", `"id":"acpshim-`, "reply ="}
		// In these an adapter sends what it has kept at a message of the other side.
		kept := []string{"opening_repeat.txtar", "opening_hold_refused.txtar", "opening_hold_known.txtar", "opening_hold_order.txtar", "repair_mcp_refused.txtar", "turns_late_hold.txtar"}
		if slices.Contains(kept, filepath.Base(path)) || slices.ContainsFunc(ours, func(text string) bool { return bytes.Contains(txtar.Format(a), []byte(text)) }) {
			continue // what is put into the other direction is not recorded here, nor are files of the agent, and folders are redacted
		}
		played++
		t.Run(filepath.Base(path), func(t *testing.T) {
			open := store.Opener([]string{recordTranscript(t, a)})
			r, err := recording.NewRedactor(config.Default(), false)
			if err != nil {
				t.Fatal(err)
			}
			h, err := export.Read(open, export.Options{Redactor: r})
			if err != nil {
				t.Fatal(err)
			}
			if !h.Start.Redacted {
				t.Error("the export is not marked as redacted")
			}
			c := config.Default()
			for _, f := range a.Files {
				if f.Name == transcript.Config {
					if c, err = config.Parse(c, f.Name, string(f.Data)); err != nil {
						t.Fatal(err)
					}
				}
			}
			exported, omitted := export.Txtar(h)
			if len(omitted) > 0 || len(exported.Files) == 0 {
				t.Errorf("%d sections, left out: %v", len(exported.Files), omitted)
			}
			if n := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "client" }); a.Files[0].Name == transcript.Config {
				exported.Files = append(slices.Clone(a.Files[:n]), exported.Files...) // and files that it names
			}
			went, err := transcript.Play(exported, chainOf(t, path, exported))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range transcript.Compare(exported, went) {
				t.Errorf("the export went otherwise: %+v", d)
			}
		})
	}
	if played < 5 {
		t.Errorf("%d transcripts were played", played)
	}
}

// TestAReplayTellsWhatAConfigurationChanges replays a record with the
// configuration that it was made with, and with another.
func TestAReplayTellsWhatAConfigurationChanges(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("../../testdata/transcripts/codex_two_sources.txtar")
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.Open(store.Opener([]string{recordTranscript(t, a)}))
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Log.Level = "off"
	var same, other bytes.Buffer
	if err := replayChain(&same, h, c, peers{}, true); err != nil || same.Len() > 0 {
		t.Errorf("with the same configuration: %v\n%s", err, same.String())
	}
	c, err = config.Assign(c, "test", "plan.prose=drop")
	if err != nil {
		t.Fatal(err)
	}
	err = replayChain(&other, h, c, peers{}, true)
	if e, ok := err.(*exit); !ok || e.status != 1 {
		t.Errorf("a difference is no error: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(other.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "to client, #") || !strings.Contains(lines[1], `- {"jsonrpc":"2.0","method":"session/update"`) || !strings.Contains(lines[1], "agent_message_chunk") {
		t.Errorf("the text that is not told is not the difference:\n%s", other.String())
	}
}

// TestADemoMeetsItsRecord records a run of the demo. The client of the record
// must hear the same of the demo's agent again, and the agent of the record must
// serve the demo's client behind acpshim: that is shown what it was shown then.
func TestADemoMeetsItsRecord(t *testing.T) {
	starts(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "records")
	recorder, err := record.New(record.Options{Dir: dir, Argv: []string{"agent"}})
	if err != nil {
		t.Fatal(err)
	}
	var planFile string
	run := func(relay proxy.Options, agent func(planFile string) []string) {
		t.Helper()
		err := demo.Run(demo.Options{
			Relay: relay, Out: io.Discard, AgentCommand: agent,
			ClientCommand: func(cwd string) []string { return []string{"acpshim", "demo", "client", cwd} },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	relay := byDefault()
	relay.TapClient, relay.TapAgent = recorder.Tap(record.Client), recorder.Tap(record.Agent)
	run(relay, func(path string) []string {
		planFile = path
		return []string{"acpshim", "demo", "scripted-agent", path, "0s"}
	})
	if err := recorder.Close(record.Outcome{}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, recorder.Name())
	if err := os.Mkdir(filepath.Dir(planFile), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("acpshim", "log", "replay", "--as-client", "--diff", "--run", name, "--", "acpshim", "demo", "scripted-agent", planFile, "0s").CombinedOutput()
	os.RemoveAll(filepath.Dir(planFile))
	if err != nil || len(out) > 0 {
		t.Errorf("the agent did not say the same again: %v\n%s", err, out)
	}
	recorded, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	run(byDefault(), func(path string) []string {
		// A record has no files: it gets the one that it names.
		text := bytes.ReplaceAll(recorded, []byte(filepath.Dir(planFile)), []byte(filepath.Dir(path)))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(path, []byte("# Next\n\n- [x] Write the release notes\n- [ ] Tag the release\n"), 0o600); err != nil {
			t.Error(err)
		}
		atRest := time.Now().Add(-time.Minute) // it is shown at its step
		if err := os.Chtimes(path, atRest, atRest); err != nil {
			t.Error(err)
		}
		return []string{"acpshim", "log", "replay", "--as-agent", "--run", name}
	})
}

// A part that was cut off takes nothing of the next one with it.
func TestPartsThatWereCutOffAreExported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := filepath.Join(dir, "20261121T080000.000Z-agent-7-aabbccdd.jsonl")
	second := filepath.Join(dir, "20261121T080000.000Z-agent-7-aabbccdd.1.jsonl")
	for name, text := range map[string]string{
		first:  `{"kind":"start","schema":1}` + "\n" + `{"kind":"message","seq":1,"dir":"cli`,
		second: `{"kind":"message","seq":2,"dir":"client","msg":{"id":1,"method":"a"}}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := (&finder{run: first}).find()
	if err != nil {
		t.Fatal(err)
	}
	h, err := export.Read(store.Opener(parts), export.Options{})
	if err != nil || len(h.Messages) != 1 || h.Broken != 1 {
		t.Errorf("%v, %d messages, %d broken lines", err, len(h.Messages), h.Broken)
	}
}
