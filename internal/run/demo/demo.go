package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/run/transcript"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// Options say what to play.
type Options struct {
	Relay   proxy.Options // the chain; Run sets its command and streams
	Capable bool          // the client supports plan updates
	Out     io.Writer

	// AgentCommand and ClientCommand are the argv that call Agent and Client,
	// given the plan file and the client's working folder.
	AgentCommand  func(planFile string) []string
	ClientCommand func(cwd string) []string
}

// ErrScript means that the conversation differs from the script.
var ErrScript = errors.New("the demo did not go as scripted")

// Run plays the conversation and prints it. The error is an [ErrScript] that says where it differs
// from the script, or says why it could not be played.
func Run(o Options) error {
	dir, err := os.MkdirTemp("", "acpshim-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := o.ClientCommand(dir)
	client := exec.Command(command[0], command[1:]...)
	var log bytes.Buffer
	client.Stderr = &log
	toClient, err := client.StdinPipe()
	if err != nil {
		return err
	}
	fromClient, err := client.StdoutPipe()
	if err != nil {
		return err
	}
	if err := client.Start(); err != nil {
		return err
	}
	planFile := filepath.Join(dir, "plan.md")
	s := &stage{out: o.Out, capable: o.Capable, steps: script(planFile)}
	s.open()
	o.Relay.Command = o.AgentCommand(planFile)
	o.Relay.Stdin, o.Relay.Stdout, o.Relay.Stderr = fromClient, toClient, os.Stderr
	o.Relay.FromAgent = &tap{o.Relay.FromAgent, s.see}
	ending, err := proxy.Run(o.Relay)
	toClient.Close()
	return s.close(err, ending.Status, client.Wait(), log.String())
}

// A tap shows the output of an interceptor for each line.
type tap struct {
	wire.Interceptor
	see func(sent, got []byte)
}

func (t *tap) Inspect([]byte, bool) wire.Verdict { return wire.Hold }

func (t *tap) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	start := len(dst)
	dst, by = wire.Apply(t.Interceptor, dst, line)
	t.see(line, dst[start:])
	return dst, by
}

// A stage shows the conversation and checks it against the script.
type stage struct {
	out     io.Writer
	capable bool
	steps   []step
	played  int
	late    *exchange       // its plan comes with a later line, because the disk was slow
	got     strings.Builder // what was sent to the client
	wrong   []error
}

// An exchange holds what the agent sent and what the client has to get, as drawn lines.
type exchange struct{ left, want []string }

// open writes the heads of the columns.
func (s *stage) open() {
	who := "the old client gets"
	if s.capable {
		who = "the capable client gets"
	}
	fmt.Fprintf(s.out, "Two processes, acpshim between them.\n\n%s%s",
		terminal.Beside([]string{"the agent sends"}, []string{who}), terminal.Beside([]string{strings.Repeat("-", 36)}, []string{strings.Repeat("-", 36)}))
}

// see handles a line of the agent, and the lines that the client gets for it.
func (s *stage) see(sent, got []byte) {
	var right []string
	s.got.Write(got)
	for line := range bytes.Lines(got) {
		right = append(right, transcript.Message(line)...)
	}
	left := transcript.Message(sent)
	if late := s.late; late != nil {
		s.late = nil
		s.compare(*late, right)
		right = nil
	}
	if left == nil {
		return // the handshake, and the response at the end
	}
	e := exchange{left, s.next().oldGot}
	if s.capable {
		e.want = left
		if !bytes.Equal(sent, got) {
			s.wrong = append(s.wrong, fmt.Errorf("step %d: the line was changed:\n%s%s", s.played, sent, got))
		}
	}
	if len(right) == 0 && len(e.want) > 0 {
		s.late = &e
		return
	}
	s.compare(e, right)
}

// compare draws an exchange and what the client got.
func (s *stage) compare(e exchange, right []string) {
	if !slices.Equal(right, e.want) {
		s.wrong = append(s.wrong, fmt.Errorf("step %d: the client got\n%s\ninstead of\n%s", s.played, strings.Join(right, "\n"), strings.Join(e.want, "\n")))
	}
	if len(right) == 0 {
		right = []string{"(nothing: the plan stays as it is)"}
	}
	fmt.Fprint(s.out, terminal.Beside(e.left, right)+"\n")
}

// next returns the next step, or a zero one at the end of the script.
func (s *stage) next() step {
	s.played++
	if s.played > len(s.steps) {
		return step{}
	}
	return s.steps[s.played-1]
}

// close checks that relay and client ended well, that all steps were played, and that the client
// received what was sent.
func (s *stage) close(err error, status proxy.Status, clientErr error, clientLog string) error {
	if s.late != nil {
		s.compare(*s.late, nil)
	}
	switch {
	case err != nil:
		return err
	case clientErr != nil:
		return fmt.Errorf("%w: the client: %w\n%s", ErrScript, clientErr, clientLog)
	case status.ExitCode() != 0:
		return fmt.Errorf("%w: the agent ended with status %d", ErrScript, status.ExitCode())
	}
	if s.played != len(s.steps) {
		s.wrong = append(s.wrong, fmt.Errorf("%d steps were played, %d are in the script", s.played, len(s.steps)))
	}
	if clientLog != s.got.String() {
		s.wrong = append(s.wrong, fmt.Errorf("the client got\n%s\ninstead of\n%s", clientLog, s.got.String()))
	}
	if len(s.wrong) > 0 {
		return fmt.Errorf("%w: %w", ErrScript, errors.Join(s.wrong...))
	}
	if s.capable {
		fmt.Fprintln(s.out, "It went as scripted: every line reached the client as it was, byte for byte.")
	} else {
		fmt.Fprintln(s.out, "It went as scripted: one plan, always up to date, and no update that an old\nclient does not know.")
	}
	return nil
}
