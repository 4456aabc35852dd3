package output

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/wire"
)

// The updates of a call are in proportion to its output, the kept text is bounded, and the last
// update shows the end of the output.
func TestACallIsShownInProportion(t *testing.T) {
	for _, piece := range []int{1, 100, 70_000} {
		c, printed, shown, last := &call{id: "c"}, 0, 0, ""
		for i := 0; printed < 1<<20 && i < 40_000; i++ {
			meta, err := wire.Parse(fmt.Appendf(nil, `{"terminal_output_delta":{"data":"%s"}}`, strings.Repeat("x", piece)), reports...)
			if err != nil {
				t.Fatal(err)
			}
			c.print(meta)
			printed += piece
			update, _ := wire.Parse([]byte(`{"status":"in_progress"}`))
			text, _ := c.next(update, false)
			if shown += len(text); len(c.text) > maxText {
				t.Fatalf("%d bytes are kept", len(c.text))
			}
		}
		update, _ := wire.Parse([]byte(`{"status":"completed"}`))
		if last, _ = c.next(update, false); c.shown != printed || last != "" && !strings.Contains(last, "x\n```") {
			t.Errorf("%d bytes of %d are shown at the end", c.shown, printed)
		}
		if shown > 3*printed+100_000 {
			t.Errorf("pieces of %d: %d bytes are shown of %d", piece, shown, printed)
		}
	}
}

func TestRawText(t *testing.T) {
	for raw, want := range map[string]string{
		`"a\nb"`: "```\na\nb\n```", `{"output":"a"}`: "```\na\n```", `{"stdout":"","stderr":"e"}`: "```\ne\n```",
		`{"stdout":"o\n","stderr":"e\n"}`: "```\no\ne\n```", `{"exit_code":0}`: "", `[]`: "", `""`: "", `null`: "", ``: "",
		`"\u001b[31mred\u001b[0m"`: "```\nred\n```", `{"formatted_output":"f","output":"o"}`: "```\nf\n```",
	} {
		if got := rawText([]byte(raw)); got != want {
			t.Errorf("%s becomes %q, want %q", raw, got, want)
		}
	}
}

// Text that continues the text before is sent alone. Other text clears the terminal.
func TestNews(t *testing.T) {
	c := &call{}
	long := strings.Repeat("x", maxText+1)
	for _, step := range []struct{ text, want string }{
		{"a", "a"}, {"a\nb", "\r\nb"}, {"a\nb", ""}, {"c", "\x1bcc"}, {long, "\x1bc" + long}, {long + "y", "\x1bc" + long + "y"}, {"d", "\x1bcd"}, {"de", "e"},
	} {
		if got := c.news(step.text); got != step.want {
			t.Errorf("%.20q is told as %.20q, want %.20q", step.text, got, step.want)
		}
	}
}

func TestUnfenced(t *testing.T) {
	for text, want := range map[string]string{
		"```\na\nb\n```": "a\nb\n", "```console\na\n```\n": "a\n", "a": "a", "```": "```", "````\n```\n````": "```\n", "```\na": "```\na", "": "",
		"a\n```\nb\n```": "a\n```\nb\n```",
	} {
		if got := unfenced(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
