package doctor

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// adapted says what is adapted for the two beside plans.
func (x *examination) adapted(c config.Config, agent rule.Peer) {
	x.changes(c)
	x.login(c)
	x.done(c, "version.bridge", c.Version.Bridge && !x.speaks2, "if it speaks only version 2 of the protocol, acpshim translates")
	x.done(c, "opening.repeat", c.Opening.Repeat, "commands and options that come before the first prompt are sent once more with the first prompt")
	x.done(c, "output.report", c.Output.Report, "gets what commands print as terminals in _meta, if it announces these")
	x.done(c, "output.raw", c.Output.Raw, "is shown what a tool returned, if the call ends without content")
	queue, grace := c.Turns.Queue, c.Turns.CancelGrace
	x.done(c, "turns.queue", queue > 0, fmt.Sprintf("up to %s while one runs", terminal.Count(queue, "prompt waits", "prompts wait")))
	x.done(c, "turns.cancel_grace", grace > 0, fmt.Sprintf("is told that a turn ended %v after it was cancelled, at the latest", grace))
	x.done(c, "turns.late", c.Turns.Late == "hold", "gets what comes after the end of a turn with the next prompt")
	x.done(c, "turns.late", c.Turns.Late == "drop", "does not get parts of a conversation after the end of a turn")
	x.images(c)
	x.done(c, "services.terminal", c.Services.Terminal, "if it has no terminals, commands of the agent are run by acpshim")
	x.done(c, "services.fs", c.Services.FS == "missing", "if it offers no files, acpshim reads and writes those of the session")
	x.done(c, "services.fs", c.Services.FS == "refused", "if it offers no files or refuses one, acpshim reads and writes it")
	for _, p := range c.Paths {
		x.ok("client", fmt.Sprintf("paths below %q are below %q for the agent", p.Client, p.Agent))
	}
	x.named("gets %s of acpshim if the agent announces none: %s", "command", "commands", commands(c, agent))
	x.named("%s for it: %s", "permission rule answers", "permission rules answer", x.permissions(c, agent))
	x.named("%s: %s", "rule applies", "rules apply", x.rules(c, agent))
}

// done says what a key has acpshim do for the editor, if it is done.
func (x *examination) done(c config.Config, key string, isDone bool, what string) {
	if isDone {
		x.ok("client", what+setBy(c, key))
	}
}

// changes says what is adapted and repaired.
func (x *examination) changes(c config.Config) {
	var adapted, said []string
	if c.Choices.Bridge {
		adapted = append(adapted, "modes", "models")
	}
	if c.Questions.Ask == "permission" {
		adapted = append(adapted, "questions")
	}
	if adapted != nil {
		said = append(said, "adapts "+strings.Join(adapted, ", "))
	}
	if on := c.Repairs(); on != nil {
		said = append(said, "repairs "+strings.Join(on, ", "))
	}
	if said != nil {
		x.ok("client", strings.Join(said, "; "))
	}
}

// login says whether the agent has the way to log in that is configured.
func (x *examination) login(c config.Config) {
	method, ways := c.Login.Method, x.report.Agent.AuthMethods
	switch {
	case method == "":
	case slices.Contains(ways, method):
		x.ok("client", fmt.Sprintf("acpshim logs in by %q when the agent asks for a login%s", method, setBy(c, "login.method")))
	default:
		x.note("client", fmt.Sprintf("acpshim is to log in by %q%s, which the agent does not offer", method, setBy(c, "login.method")),
			fmt.Sprintf("want one of %q", ways))
	}
}

// images says whether images become files.
func (x *examination) images(c config.Config) {
	offers, _ := wire.Parse(x.report.Agent.Capabilities, "promptCapabilities")
	takes := string(offers.Open("promptCapabilities").Raw("image")) == "true"
	x.done(c, "images.files", c.Images.Files && takes, "the agent takes images, so none become files")
	x.done(c, "images.files", c.Images.Files && !takes, "may send images, which the agent gets as files")
}

// named says how many things of a kind there are, and their names, if there are any.
func (x *examination) named(text, one, more string, names []string) {
	if len(names) > 0 {
		x.ok("client", fmt.Sprintf(text, terminal.Count(len(names), one, more), strings.Join(names, ", ")))
	}
}

// commands are the names of the commands that are announced for an agent.
func commands(c config.Config, agent rule.Peer) (names []string) {
	for _, command := range c.CommandsOf(agent) {
		names = append(names, "/"+command.Name)
	}
	return names
}

// permissions are the names of the permission rules that are for the two.
func (x *examination) permissions(c config.Config, agent rule.Peer) (names []string) {
	for _, p := range c.PermissionRules() {
		if x.Client.Matches(p.Client) && agent.Matches(p.Agent) {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
	}
	return names
}

// rules are the names of the rules that are on for the two.
func (x *examination) rules(c config.Config, agent rule.Peer) (names []string) {
	for _, r := range c.Rules {
		off := r.Off
		if on, isSwitched := c.Switches[r.Name]; isSwitched {
			off = !on
		}
		if !off && x.Client.Matches(r.Client) && agent.Matches(r.Agent) {
			names = append(names, fmt.Sprintf("%q", r.Name))
		}
	}
	return names
}
