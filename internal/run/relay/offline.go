package relay

import (
	"bytes"
	"fmt"
	"os"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/run/planfile"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
	"acpshim/translate/plans"
)

// An Offline plays a conversation through a chain of adapters, without processes and without files
// of the machine. It is for one goroutine.
type Offline struct {
	FromClient, FromAgent wire.Interceptor
	Limit                 int // the longest line that an adapter gets, in bytes

	relay  *Relay
	texts  map[string]string // of plan files, by path
	isBusy map[string]bool
}

// NewOffline returns an Offline. It reads plan files from texts, which are by path; if ReadFile of
// the options is not nil, it is asked for other files. Nothing is written to standard error.
func NewOffline(c config.Config, o Options, texts map[string]string) *Offline {
	p := &Offline{texts: texts, isBusy: map[string]bool{}}
	other := o.ReadFile
	o.ReadFile = func(uri string, roots []string) (string, error) {
		path, err := planfile.Path(uri)
		if err != nil {
			path = uri
		}
		text, ok := p.texts[path]
		switch {
		case p.isBusy[path]:
			return "", plans.ErrBusy
		case ok:
			return text, nil
		case other != nil:
			return other(uri, roots)
		case err != nil:
			return "", err
		}
		return "", fmt.Errorf("%q: %w", path, os.ErrNotExist)
	}
	o.Aside = func([]byte) {}
	p.relay = New(c, o)
	run := p.relay.Options()
	p.FromClient, p.FromAgent, p.Limit = run.FromClient, run.FromAgent, run.HoldLimit
	return p
}

// Send plays lines of a peer. Went gets the output in both directions, by the peer that would have
// sent it: first that for the lines, and then what adapters add.
func (p *Offline) Send(from wire.Side, lines []byte, went func(from wire.Side, lines []byte)) error {
	look := p.FromClient
	if from == wire.Agent {
		look = p.FromAgent
	}
	var out bytes.Buffer
	if err := proxy.Relay(&out, bytes.NewReader(lines), look, p.Limit); err != nil {
		return err
	}
	went(from, out.Bytes())
	for more := true; more; {
		toClient, toAgent := wire.DrainAll(p.FromAgent), wire.DrainAll(p.FromClient)
		went(wire.Agent, toClient)
		went(wire.Client, toAgent)
		more = len(toClient)+len(toAgent) > 0
	}
	return nil
}

// SetFile plays a change of a plan file, and returns the lines that the client then gets.
func (p *Offline) SetFile(f record.File) (toClient []byte) {
	if p.isBusy[f.Path] = f.Busy; f.Busy {
		return nil
	}
	if p.texts[f.Path] = f.Text; !f.Noticed {
		return nil
	}
	return p.relay.FileRead(f.Path, f.Text)
}

// End plays the end of the agent: the client's pending requests get an error. Went gets the output,
// as with Send.
func (p *Offline) End(failure []byte, went func(from wire.Side, lines []byte)) {
	went(wire.Agent, wire.FlushLast(p.FromAgent))
	p.relay.End(EndingOf(failure))
	went(wire.Agent, wire.FlushLast(p.FromAgent))
}
