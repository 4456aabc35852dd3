package serve

import (
	"sync"
	"testing"

	"acpshim/internal/run/frames"
)

// The agent's writer can be left when a run ends. Then it adds nothing more, and the budget has all
// bytes again.
func TestAPartialLineEndsWhileItIsWritten(t *testing.T) {
	const size = 1 << 10
	budget := frames.NewBudget(size)
	line := partialLine{budget: budget}
	var over sync.WaitGroup
	over.Go(func() {
		for {
			if whole, err := line.add([]byte("abc"), false); whole != nil || err != nil {
				return
			}
		}
	})
	line.end()
	over.Wait()
	if _, err := line.add([]byte("abc"), true); err != errLeft {
		t.Errorf("after the end: %v", err)
	}
	if !budget.Take(size) {
		t.Error("bytes are missing in the budget")
	}
}

func TestPartialLines(t *testing.T) {
	line := partialLine{budget: frames.NewBudget(6)}
	for _, step := range []struct {
		piece string
		isEnd bool
		want  string
		err   error
	}{{"ab", true, "ab", nil}, {"ab", false, "", nil}, {"cd", true, "abcd", nil}, {"abcdefg", false, "", frames.ErrTooLong}, {"abcdef", false, "", nil}, {"", true, "abcdef", nil}} {
		if got, err := line.add([]byte(step.piece), step.isEnd); string(got) != step.want || err != step.err {
			t.Errorf("%q: %q, %v", step.piece, got, err)
		}
	}
}
