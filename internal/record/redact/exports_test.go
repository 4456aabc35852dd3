package redact_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/export"
	"acpshim/internal/log/report"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/redact"

	"golang.org/x/tools/txtar"
)

// E11, T35: each planted secret is in messages of both sides, in standard error and in an event of
// a record. It is not in any export of that record.
func TestNoPlantedSecretLeavesTheMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	for _, p := range redact.Planted {
		t.Run(p.Name, func(t *testing.T) {
			r, err := redact.New(redact.TestOptions)
			if err != nil {
				t.Fatal(err)
			}
			if where := leaks(t, p, r); len(where) > 0 {
				t.Errorf("the secret is in %q", where)
			}
		})
	}
	all := []string{"jsonl", "report", "trace", "txtar"}
	if where := leaks(t, redact.Planted[0], nil); !slices.Equal(where, all) {
		t.Errorf("without a redactor the secret is in %q, want %q: this test would find nothing", where, all)
	}
}

// leaks returns the names of the exports of a record that contain its secret.
func leaks(t *testing.T, p redact.Plant, r *redact.Redactor) (names []string) {
	t.Helper()
	line, text := base64.StdEncoding.EncodeToString([]byte(p.In+"\n")), wire.Quote(nil, p.In)
	source := `{"kind":"start","schema":1,"run":"r","argv":["agent"]}
` + fmt.Sprintf(`{"kind":"message","seq":1,"mono":1,"dir":"client","stage":"in","len":9,"b64":"%s"}
{"kind":"message","seq":2,"mono":1,"dir":"client","stage":"out","of":1,"len":9,"b64":"%[1]s"}
{"kind":"message","seq":3,"mono":2,"dir":"agent","len":9,"b64":"%[1]s"}
{"kind":"stderr","seq":4,"mono":3,"text":%[2]s}
{"kind":"event","seq":5,"mono":4,"event":{"error":%[2]s}}
`, line, text)
	made := map[string]*bytes.Buffer{"jsonl": {}, "report": {}, "trace": {}, "txtar": {}}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(source)), nil }
	if err := export.Copy(made["jsonl"], open, export.Options{Redactor: r}); err != nil {
		t.Fatal(err)
	}
	h := read(t, made["jsonl"].String())
	if _, err := export.Trace(made["trace"], open, export.Options{Redactor: r}); err != nil {
		t.Fatal(err)
	}
	archive, _ := export.Txtar(h)
	made["txtar"].Write(txtar.Format(archive))
	whole, err := export.Read(open, export.Options{Redactor: r})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Write(made["report"], whole, report.Options{Full: true}); err != nil {
		t.Fatal(err)
	}
	for name, b := range made {
		for l := range strings.Lines(b.String()) {
			if _, coded, ok := strings.Cut(l, `"b64":"`); ok {
				decoded, _ := base64.StdEncoding.DecodeString(coded[:strings.IndexByte(coded, '"')])
				l += string(decoded)
			}
			if strings.Contains(l, p.Secret) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func read(t *testing.T, text string) *history.History {
	t.Helper()
	h, err := history.Read(record.NewReader(strings.NewReader(text)))
	if err != nil || h.Broken > 0 {
		t.Fatalf("%v, %d broken", err, h.Broken)
	}
	return h
}
