package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
	"acpshim/proxy"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// byDefault is a run with the default configuration, but for its command and its streams.
func byDefault() proxy.Options {
	return relay.New(config.Default(), relayOptions(peers{}, zerolog.Nop())).Options()
}

// TestRealConversationsAreRecorded plays recorded conversations of others, which
// are not part of this repository, through the chain: what was sent and what was
// got are in the record, byte for byte and in order.
func TestRealConversationsAreRecorded(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with real conversations")
	}
	paths, _ := filepath.Glob(filepath.Join(shared, "traffic", "*.dir.ndjson"))
	if len(paths) < 5 {
		t.Fatalf("only %d conversations", len(paths))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "records")
			recorder, err := record.New(record.Options{Dir: dir, Argv: []string{"agent"}})
			if err != nil {
				t.Fatal(err)
			}
			options := byDefault()
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			sent, got := map[wire.Side]string{}, map[wire.Side]string{}
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 16<<20)
			for lines.Scan() {
				var line struct{ Dir, Raw string }
				if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
					t.Fatal(err)
				}
				from, look := record.Client, options.FromClient
				if line.Dir == "a2c" {
					from, look = record.Agent, options.FromAgent
				}
				var out bytes.Buffer
				if err := proxy.RelayTapped(&out, bytes.NewBufferString(line.Raw+"\n"), look, recorder.Tap(from), 16<<20); err != nil {
					t.Fatal(err)
				}
				sent[from] += line.Raw + "\n"
				got[from] += out.String()
			}
			if err := recorder.Close(record.Outcome{}); err != nil {
				t.Fatal(err)
			}

			recorded, err := store.Open(filepath.Join(dir, recorder.Name()))
			if err != nil {
				t.Fatal(err)
			}
			defer recorded.Close()
			h, err := history.Read(record.NewReader(recorded))
			if err != nil || h.End == nil || h.End.Gaps > 0 {
				t.Fatalf("%v, %+v", err, h.End)
			}
			wasSent, wasGot := map[wire.Side]string{}, map[wire.Side]string{}
			for _, m := range h.Messages {
				if m.Message.Received() {
					wasSent[m.Message.Dir] += string(m.Message.Line)
				}
				if m.Message.Sent() {
					wasGot[m.Message.Dir] += string(m.Message.Line)
				}
			}
			if diff := cmp.Diff(sent, wasSent); diff != "" {
				t.Errorf("sent (-sent +recorded):\n%s", diff)
			}
			if diff := cmp.Diff(got, wasGot); diff != "" {
				t.Errorf("got (-got +recorded):\n%s", diff)
			}
		})
	}
}
