// Package doctor finds out why an agent, an editor and acpshim do not work together. It starts the
// agent, sends it requests that need no prompt, ends it, and examines the machine.
package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"os/user"
	"runtime"
	"strings"
	"time"

	"acpshim/filters/rule"
	"acpshim/internal/record/redact"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
)

// Options say what is examined. The zero value examines the machine with an empty configuration.
type Options struct {
	Command []string  // the agent's argv; if it is empty and Remote is nil, no agent is examined
	Remote  *Remote   // an agent on another machine, instead of Command
	Env     []string  // NAME=VALUE, added to its environment
	Dir     string    // the folder it starts in; "" is the current one
	Client  rule.Peer // the editor; its name may be empty
	Agent   rule.Peer // the agent, until it says its name; may be zero
	Session bool      // open a session, too

	Config    config.Config
	ConfigErr error    // why it could not be read; then the default applies
	Files     []string // that the configuration was read from
	Version   string   // of acpshim

	Timeout    time.Duration // for the response to initialize, at each start; 0 means 30 s
	EditorPath string        // the PATH that the editor has; "" is that of the desktop

	Explain func(error) (what, do string) // says why an agent did not start
	Begun   func(Report)                  // called before the examination; may be nil
	Found   func(Finding)                 // called at once for each finding; may be nil
}

// A Remote is an agent on another machine.
type Remote struct {
	URL       string   // without secrets
	Transport string   // for people
	Warnings  []string // how others could read secrets
	Connect   func() (proxy.Peer, error)
	Ended     func() (what, do string) // says how the last connection ended
}

// An examination holds the state of one call of [Examine].
type examination struct {
	speaks2   bool // the agent speaks version 2 of the protocol
	plansCome bool // the agent knows that it may send plan updates
	Options
	report   Report
	redactor *redact.Redactor
	chain    *chain // nil before the agent has responded
}

// Examine examines what the options say. It starts the agent up to five times, or connects to it,
// one after the other, and returns when all of them have ended. When ctx is done it ends the agent,
// and the report has what was found until then.
func Examine(ctx context.Context, o Options) Report {
	if o.ConfigErr != nil {
		o.Config = config.Default()
	}
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	x := &examination{Options: o, redactor: newRedactor(o.Config, false)}
	x.report = Report{
		Schema: 1, Acpshim: o.Version, System: runtime.GOOS + "/" + runtime.GOARCH,
		Client: strings.TrimSpace(o.Client.Name + " " + o.Client.Version), Command: []string{}, Env: []string{},
		Methods: map[string]string{}, Stderr: []string{}, Profiles: []string{},
	}
	for _, variable := range o.Env {
		name, _, _ := strings.Cut(variable, "=")
		x.report.Env = append(x.report.Env, name)
	}
	if len(o.Command) > 0 {
		x.report.Command = x.redactor.Args(o.Command)
	}
	if o.Remote != nil {
		x.report.Command = []string{o.Remote.URL}
	}
	if o.Begun != nil {
		o.Begun(x.report)
	}
	switch {
	case o.Remote != nil:
		for _, text := range o.Remote.Warnings {
			x.note("server", text, "")
		}
	case len(o.Command) > 0:
		x.find(ctx)
	default:
		x.installed()
	}
	if len(x.report.Command) > 0 && x.negotiate(ctx) {
		x.client()
	}
	if ctx.Err() == nil {
		x.machine()
	}
	x.report.redactor = newRedactor(o.Config, true)
	return x.report
}

// newRedactor returns a redactor with the configured keys and patterns. For texts that are for
// others it removes the user's home and name, too. Its salt is random: nobody compares its marks.
func newRedactor(c config.Config, forOthers bool) *redact.Redactor {
	o := redact.Options{Keys: c.Redact.Keys, Patterns: c.Redact.Patterns, Salt: []byte(rand.Text())}
	if forOthers {
		o.Home, _ = os.UserHomeDir()
		if u, err := user.Current(); err == nil {
			o.User = u.Username
		}
	}
	r, err := redact.New(o)
	if err != nil {
		panic(err) // the configuration was checked
	}
	return r
}
