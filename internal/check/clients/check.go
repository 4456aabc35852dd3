package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"acpshim/internal/run/demo"
	"acpshim/internal/system/outfile"
	"acpshim/internal/text/terminal"
)

// A Check judges the client of a test agent, and keeps the report in a file. It is a
// [demo.Checker].
type Check struct {
	name    string
	redact  func(string) string // nil changes nothing
	warn    func(error)
	mu      sync.Mutex // for what follows
	judge   *judge
	written []byte
	turn    sync.Mutex // held while the exam is played
	exam    exam
}

// Open creates the report of a client. If name exists, a number is added to it, so that agents that
// run at the same time or one after the other do not lose the report of another one. Redact removes
// secrets from it; nil changes nothing. Warn is told if the report cannot be written later.
func Open(name string, redact func(string) string, warn func(error)) (*Check, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	c := &Check{judge: newJudge(), redact: redact, warn: warn}
	c.exam.check = c
	c.written, err = c.text(name)
	if err != nil {
		return nil, err
	}
	c.name, err = claim(name, c.written)
	return c, err
}

// maxReports is how many reports with the same name are kept.
const maxReports = 1000

// claim writes the first file of name.txt, name.2.txt, and so on that does not exist.
func claim(name string, text []byte) (string, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file: name one that does not exist yet", name)
	}
	extension := filepath.Ext(name)
	for n := 1; n <= maxReports; n++ {
		file := name
		if n > 1 {
			file = fmt.Sprintf("%s.%d%s", name[:len(name)-len(extension)], n, extension)
		}
		if err := outfile.Create(file, outfile.Text(text)); !errors.Is(err, outfile.ErrExists) {
			return file, err
		}
	}
	return "", fmt.Errorf("%s and %d more reports exist: remove them", name, maxReports-1)
}

// Name returns the path of the report.
func (c *Check) Name() string { return c.name }

// Run plays the test agent for the client until it closes in.
func (c *Check) Run(in io.Reader, out io.Writer) error {
	err := demo.TestAgent(in, out, c)
	c.do(func(j *judge) { j.closed() })
	return err
}

// Received implements demo.Checker.
func (c *Check) Received(line []byte) { c.do(func(j *judge) { j.received(line) }) }

// Sent implements demo.Checker.
func (c *Check) Sent(line []byte) { c.do(func(j *judge) { j.sent(line) }) }

// Overdue implements demo.Checker.
func (c *Check) Overdue(id []byte) { c.do(func(j *judge) { j.overdue(id) }) }

// Play implements demo.Checker.
func (c *Check) Play(t *demo.Turn, scene string) {
	if !c.turn.TryLock() {
		return // the exam is played in another turn
	}
	defer c.turn.Unlock()
	if scene == "" {
		c.exam.play(t)
	} else {
		c.exam.after(t, scene)
	}
}

// mayAsk reports whether to send the question that no client knows: a client that has not responded
// to it once would let each turn wait.
func (c *Check) mayAsk() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.judge.life.open == nil || c.judge.life.open.isAnswered
}

func (c *Check) isDead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.judge.life.isDead(c.judge)
}

// do tells the judge something, and writes the report if that changes it.
func (c *Check) do(tell func(*judge)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.judge.now = time.Now()
	tell(c.judge)
	text, err := c.text(c.name)
	if err == nil && !bytes.Equal(text, c.written) {
		c.written = text
		err = outfile.Replace(c.name, 0o600, outfile.Text(text))
	}
	if err != nil {
		c.warn(err)
	}
}

// text returns the report in the form that a file name asks for.
func (c *Check) text(name string) ([]byte, error) {
	var b bytes.Buffer
	r := c.judge.report(c.redact)
	write := func(w io.Writer) error { return r.WriteText(w, terminal.Style{}, false) }
	switch filepath.Ext(name) {
	case ".json":
		write = r.WriteJSON
	case ".xml":
		write = r.WriteJUnit
	}
	err := write(&b)
	return b.Bytes(), err
}
