package query

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

var update = flag.Bool("update", false, "write testdata/vectors.txt")

// TestVectors runs the queries of testdata/vectors.txt on testdata/vectors.jsonl. Package report
// runs them on the page of a report.
func TestVectors(t *testing.T) {
	zone := time.Local
	time.Local = time.FixedZone("", 3600)
	defer func() { time.Local = zone }()
	source, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	h, err := history.Read(record.NewReader(source))
	if err != nil || h.Broken > 0 {
		t.Fatal(err, h.Broken)
	}
	vectors, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for line := range strings.Lines(string(vectors)) {
		query, want, isVector := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !isVector {
			now.WriteString(line)
			continue
		}
		got := matches(h, query)
		fmt.Fprintf(&now, "%s\t%s\n", query, got)
		if got != want && !*update {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/vectors.txt", []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// matches returns the numbers of the records that a query matches, in order, or what is wrong with
// it.
func matches(h *history.History, text string) string {
	q, err := Parse(text)
	var wrong *Error
	if errors.As(err, &wrong) {
		return fmt.Sprintf("! %d %s", wrong.At, wrong.Problem)
	}
	var numbers []string
	others, match := h.Others, q.Of(h.All()).Next
	add := func(seq uint64, is bool) {
		if is {
			numbers = append(numbers, fmt.Sprint(seq))
		}
	}
	for _, m := range h.Messages {
		for ; len(others) > 0 && others[0].Seq < m.Seq; others = others[1:] {
			add(others[0].Seq, q.MatchOther(others[0]))
		}
		add(m.Seq, match(m))
	}
	for _, r := range others {
		add(r.Seq, q.MatchOther(r))
	}
	return strings.Join(numbers, " ")
}
