package terminal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// An Output is standard output, through a pager if it is a terminal. It is for one goroutine.
type Output struct {
	*bufio.Writer
	Terminal bool // it is a terminal
	Style    Style
	pager    *exec.Cmd // or nil
	pipe     io.Closer
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Stdout returns the output of this process. The caller must call Close.
func Stdout(paged bool) *Output {
	out := &Output{Writer: bufio.NewWriterSize(os.Stdout, 64<<10), Terminal: IsTerminal(os.Stdout)}
	if !out.Terminal {
		return out
	}
	out.Style.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		out.Style.Width = width
	}
	if command := pagerCommand(); paged && command != nil {
		c := exec.Command(command[0], command[1:]...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Env = os.Environ()
		if os.Getenv("LESS") == "" {
			c.Env = append(c.Env, "LESS=FRSX") // S: long lines are scrolled, not wrapped
		}
		if pipe, err := c.StdinPipe(); err == nil && c.Start() == nil {
			out.Writer, out.pager, out.pipe = bufio.NewWriterSize(pipe, 64<<10), c, pipe
			out.Style.Width = 0
		}
	}
	return out
}

// pagerCommand returns $PAGER, or less if it is installed, or nil.
func pagerCommand() []string {
	if pager, ok := os.LookupEnv("PAGER"); ok {
		if words := strings.Fields(pager); len(words) > 0 && words[0] != "cat" {
			return words
		}
		return nil
	}
	if _, err := exec.LookPath("less"); err != nil {
		return nil
	}
	return []string{"less"}
}

// Close writes what is left and waits for the pager. It returns err, or the error of writing. It
// ignores the error that nobody reads the output any more.
func (out *Output) Close(err error) error {
	flushed := out.Flush()
	if out.pager != nil {
		out.pipe.Close()
		out.pager.Wait()
		flushed = nil
	}
	if err == nil {
		err = flushed
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}
