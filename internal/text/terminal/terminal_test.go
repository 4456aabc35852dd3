package terminal

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

func TestHidden(t *testing.T) {
	hidden := func(low, high rune) {
		t.Helper()
		for r := low; r <= high; r++ {
			if !Hidden(r) {
				t.Errorf("%U is drawn", r)
			}
		}
	}
	hidden(0, 0x1f)
	hidden(0x7f, 0x9f)
	hidden(0x2028, 0x202e) // line ends, bidi embeddings and overrides
	hidden(0x2066, 0x206f)
	hidden(0xe0000, 0xe00ff) // tags
	for _, r := range "\u061c\u200e\u200f\u200b\u2060\u00ad\ufeff\u180e\u034f\u115f\u1160\u3164\uffa0\ufff9\U000e01f0\ue000\U0010ffff\ufffe" {
		hidden(r, r)
	}
	for _, text := range []string{"a Z~", "é ü ß", "日本語 한국어", "می\u200cخواهم", "👨\u200d👩\u200d👧", "❤\ufe0f", "🇩🇪", "1\ufe0f\u20e3", "葛\U000e0100", "\u0600", "\u00a0\u3000", "क्षि", "\ufffd", "\U0001faf9"} {
		if got := Text(text); got != text {
			t.Errorf("%q is drawn as %q", text, got)
		}
	}
}

func TestText(t *testing.T) {
	const text = "a\tb\r\n\x1b[2J\u202e\u2028\x9b\xffé\xe2\x80"
	for _, test := range []struct{ name, got, want string }{
		{"Text", Text(text), "a\tb\ufffd\n\ufffd[2J\ufffd\ufffd\ufffd\ufffdé\ufffd\ufffd"},
		{"Line", Line(text), "a\tb\ufffd\ufffd\ufffd[2J\ufffd\ufffd\ufffd\ufffdé\ufffd\ufffd"},
		{"Plain", Plain(" "+text+" ", 0), "a b \ufffd[2J\ufffd \ufffd\ufffdé\ufffd\ufffd"},
		{"Plain, cut", Plain("日本 語", 5), "日本…"},
		{"Quote", Quote(text + `"\`), `"a\tb\r\n\x1b[2J\u202e\u2028\x9b\xffé\xe2\x80\"\\"`},
		{"JSON", string(JSON([]byte("{\"a\":\r\"\u202e\u007f\U000e0041\"}\r\n"))), `{"a": "\u202e\u007f\udb40\udc41"}` + "\n"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.name, test.got, test.want)
		}
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	for i := range len(text) {
		w.Write([]byte{text[i]})
	}
	if want := strings.TrimSuffix(Text(text), "\ufffd\ufffd"); b.String() != want {
		t.Errorf("byte by byte: %q, want %q", b.String(), want)
	}
}

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "日本": 4, "e\u0301": 1, "😀": 2, "👨\u200d👩\u200d👧\u200d👦": 2, "👍🏽": 2, "❤": 1, "❤\ufe0f": 2, "1\ufe0f\u20e3": 2,
		"🇩🇪": 2, "🇩\ufe0f🇪": 4, "각": 2, "\u1100\u1161\u11a8": 2, "क्षि": 3, "می\u200cخواهم": 7, "ا\u200dب": 2, "ﾊﾟ": 2, "\ufffd": 1, "\u3000": 2, "䷀☰": 4,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	got := Wrap("one two three 漢字漢字 four-is-too-long five", 9)
	if want := []string{"one two", "three", "漢字漢字", "four-is-too-long", "five"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Wrap("", 9); len(got) != 1 || got[0] != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abc", 0, "abc"}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本", 4, "日本"}, {"日本", 3, "日…"}, {"日本", 2, "…"}, {"日", 1, "…"},
		{"ae\u0301", 2, "ae\u0301"}, {"ae\u0301bc", 3, "ae\u0301…"}, {"ab👨\u200d👩c", 4, "ab…"}, {"👍🏽", 3, "…"}, {"x❤\ufe0fy", 3, "x…"},
		{"a" + strings.Repeat("\u0301", 1000), 10, "…"},
	} {
		if got := Cut(test.text, test.columns); got != test.want {
			t.Errorf("%q in %d: %q, want %q", test.text, test.columns, got, test.want)
		}
	}
}

// drawn is how many columns a terminal needs that knows runes only.
func drawn(text string) (columns int) {
	var last rune
	for _, r := range text {
		kind := width.LookupRune(r).Kind()
		switch {
		case r == '\ufe0f' && last != 0 && !unicode.Is(unicode.M, last):
			columns++
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			columns += 2
		default:
			columns++
		}
		last = r
	}
	return columns
}

// sample is what a text for these tests is made of.
var sample = []string{
	"a", " ", "word ", "日", "本語", "한", "\u1100\u1161\u11a8", "e\u0301", "\u0301", "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "🇩🇪", "🇩", "क्षि", "می\u200cخ",
	"\x1b[31m", "\x00", "\n", "\t", "\r", "\u202e", "\u2028", "\x9b", "\xff", "\ufeff", "\U000e0041", "ﾊﾟ", "\ufe0f", "\u200d", "…", "\U0001faf9",
}

// sampled is a text of some of it.
func sampled(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		b.WriteString(sample[r.IntN(len(sample))])
	}
	return b.String()
}

// check is what holds for any line that was drawn.
func check(t *testing.T, line string, columns int) {
	t.Helper()
	if strings.ContainsFunc(line, Hidden) || !utf8.ValidString(line) {
		t.Fatalf("%q is drawn", line)
	}
	if n := max(drawn(line), Width(line)); columns > 0 && n > columns {
		t.Fatalf("%d columns are drawn into %d:\n%q", n, columns, line)
	}
}

// Whatever is in a text, what is drawn is no wider than there is room, on a terminal
// that knows characters and on one that knows runes.
func FuzzColumns(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f.Add(sampled(r), sampled(r), uint8(r.IntN(100)))
	}
	f.Fuzz(func(t *testing.T, one, two string, size uint8) {
		columns := int(size)
		check(t, Cut(Line(strings.ReplaceAll(one, "\t", "")), columns), columns)
		check(t, Plain(one, columns), columns)
		line := Style{Width: columns}.Line(Part{one, Dim}, Part{" ", None}, Part{two, Red})
		check(t, strings.TrimSuffix(line, "\n"), columns)
		coloured := Style{Width: columns, Colour: true}.Line(Part{one, Dim}, Part{" ", None}, Part{two, Red})
		if strings.NewReplacer(string(Dim), "", string(Red), "", plain, "").Replace(coloured) != line {
			t.Fatalf("in colour %q is %q", line, coloured)
		}
		check(t, strings.TrimSuffix(Beside([]string{one}, []string{two}), "\n"), 80)
		var b strings.Builder
		if err := Table(&b, nil, [][]string{{one, "|", two}, {two, "|", one}, {"x", "|"}}); err != nil {
			t.Fatal(err)
		}
		var places []int
		for l := range strings.Lines(b.String()) {
			l = strings.TrimSuffix(l, "\n")
			check(t, l, 0)
			cells := strings.SplitAfter(l, "  |")
			if !strings.Contains(one+two, "|") {
				places = append(places, Width(cells[0]))
			}
		}
		for _, place := range places {
			if place != places[0] {
				t.Fatalf("columns that do not begin at one place:\n%s", b.String())
			}
		}
	})
}

// What is for programs says the same as before.
func FuzzFaithful(f *testing.F) {
	f.Add("\u0085") // is no byte of that value
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f.Add(sampled(r))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := strconv.Unquote(Quote(text)); err != nil || got != text {
			t.Fatalf("%q is quoted as %s, which is %q, %v", text, Quote(text), got, err)
		}
		check(t, Quote(text), 0)
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.Encode(text)
		safe := JSON(b.Bytes())
		check(t, strings.TrimSuffix(string(safe), "\n"), 0)
		var got string
		if err := json.Unmarshal(safe, &got); err != nil || got != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Fatalf("%q became %s: %v", text, safe, err)
		}
		if got := Text(text); utf8.RuneCountInString(got) != utf8.RuneCountInString(text) || Text(got) != got {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestCutMiddle(t *testing.T) {
	for columns, want := range map[int]string{30: "claude-agent-acp", 16: "claude-agent-acp", 15: "claude-…ent-acp", 4: "c…cp", 1: "…"} {
		if got := CutMiddle("claude-agent-acp", columns); got != want || Width(got) > columns {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	for columns := 1; columns < 12; columns++ {
		if got := CutMiddle(strings.Repeat("日本", 9), columns); Width(got) > columns {
			t.Errorf("%d columns: %q", columns, got)
		}
	}
}
