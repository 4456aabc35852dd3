package doctor

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"
	"acpshim/internal/setup/config"
	"acpshim/internal/text/terminal"
)

// adapted reports what acpshim changes between this editor and this agent, apart from plans.
func (x *examination) adapted(c config.Config, agent rule.Peer) {
	x.changes(c)
	x.login(c)
	x.done(c, "opening.repeat", c.Opening.Repeat, "acpshim repeats commands and options with the first prompt if they came before it")
	x.done(c, "output.report", c.Output.Report, "it gets the output of commands as terminals in _meta, if it announces these")
	x.done(c, "output.raw", c.Output.Raw, "it gets the result of a tool as content if the call ends without content")
	x.done(c, "plan.idle", c.Plan.Idle == "pending", "no entry of a plan stays in progress after a turn")
	queue, grace := c.Turns.Queue, c.Turns.CancelGrace
	x.done(c, "turns.queue", queue > 0, fmt.Sprintf("acpshim keeps up to %s while a turn runs", terminal.Count(queue, "prompt", "prompts")))
	x.done(c, "turns.cancel_grace", grace > 0, fmt.Sprintf("a cancelled turn ends after %v at the latest", grace))
	x.done(c, "turns.late", c.Turns.Late == "hold", "updates after the end of a turn wait for the next prompt")
	x.done(c, "turns.late", c.Turns.Late == "drop", "updates after the end of a turn are dropped")
	x.deadlines(c)
	x.done(c, "prompt.instructions", c.Prompt.Instructions != "", fmt.Sprintf("the agent gets the text of %q in new sessions", c.Prompt.Instructions))
	embeds := x.takes("embeddedContext")
	x.done(c, "prompt.links", c.Prompt.Links == "text" && embeds, "the agent gets links of a prompt as text, and files as they are")
	x.done(c, "prompt.links", c.Prompt.Links == "text" && !embeds, "the agent gets links and files of a prompt as text")
	x.images(c)
	x.done(c, "services.terminal", c.Services.Terminal, "acpshim runs the agent's commands if the editor has no terminals")
	x.done(c, "services.fs", c.Services.FS == "missing", "acpshim reads and writes files if the editor does not offer to")
	x.done(c, "services.fs", c.Services.FS == "refused", "acpshim reads and writes files if the editor does not offer to, or refuses")
	for _, p := range c.Paths {
		x.ok("client", fmt.Sprintf("the editor's folder %q is %q for the agent", p.Client, p.Agent))
	}
	x.named("acpshim announces %s if the agent announces none: %s", "command", "commands", commands(c, agent))
	x.named("%s: %s", "permission rule applies", "permission rules apply", x.permissions(c, agent))
	x.named("%s: %s", "rule applies", "rules apply", x.rules(c, agent))
}

// deadlines reports what may wait only for some time.
func (x *examination) deadlines(c config.Config) {
	d := c.Deadline
	x.done(c, "deadline.start", d.Start > 0, fmt.Sprintf("initialize fails if the agent does not respond within %v", d.Start))
	x.done(c, "deadline.open", d.Open > 0, fmt.Sprintf("a new session fails if the agent does not open it within %v", d.Open))
	x.done(c, "deadline.silence", d.Silence > 0 && !d.Cancel, fmt.Sprintf("a turn is logged if the agent sends nothing for %v", d.Silence))
	x.done(c, "deadline.silence", d.Silence > 0 && d.Cancel, fmt.Sprintf("a turn is cancelled if the agent sends nothing for %v", d.Silence))
	x.done(c, "deadline.vendor", d.Vendor > 0, fmt.Sprintf("acpshim refuses the agent's own methods if the editor does not respond within %v", d.Vendor))
}

// done reports what acpshim does because of a key, if isDone. What it does by default is a detail.
func (x *examination) done(c config.Config, key string, isDone bool, what string) {
	switch {
	case !isDone:
	case c.SetBy(key) == "" && setBy(c, key) == "":
		x.detail("client", what)
	default:
		x.ok("client", what+setBy(c, key))
	}
}

// changes reports which features acpshim adapts and what it repairs.
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
		x.detail("client", strings.Join(said, "; "))
	}
}

// login reports whether the agent offers the configured login method.
func (x *examination) login(c config.Config) {
	method, ways := c.Login.Method, x.report.Agent.AuthMethods
	switch {
	case method == "":
	case slices.Contains(ways, method):
		x.ok("client", fmt.Sprintf("acpshim logs in with %q when the agent asks for a login%s", method, setBy(c, "login.method")))
	default:
		x.note("client", fmt.Sprintf("the agent does not offer the login method %q%s", method, setBy(c, "login.method")),
			fmt.Sprintf("use one of %q", ways))
	}
}

// images reports what acpshim does with images.
func (x *examination) images(c config.Config) {
	takes := x.takes("image")
	x.done(c, "images.files", c.Images.Files && takes, "images stay images, because the agent accepts them")
	x.done(c, "images.files", c.Images.Files && !takes, "it may send images; the agent gets them as files")
	x.done(c, "images.drop_uris", c.Images.DropURIs, "the agent gets images without URIs that only the editor can read")
}

// takes reports whether the agent announces a kind of content in prompts.
func (x *examination) takes(content string) bool {
	return slices.Contains(append(x.report.Agent.has(acp.PromptCapabilities), x.report.Agent.has("session.prompt")...), content)
}

// named reports the number and the names of things of one kind, if there are any.
func (x *examination) named(text, one, more string, names []string) {
	if len(names) > 0 {
		x.ok("client", fmt.Sprintf(text, terminal.Count(len(names), one, more), strings.Join(names, ", ")))
	}
}

// commands returns the names of the commands that acpshim announces for an agent.
func commands(c config.Config, agent rule.Peer) (names []string) {
	for _, command := range c.CommandsOf(agent) {
		names = append(names, "/"+command.Name)
	}
	return names
}

// permissions returns the names of the permission rules that apply to this editor and this agent.
func (x *examination) permissions(c config.Config, agent rule.Peer) (names []string) {
	for _, p := range c.PermissionRules() {
		if x.Client.Matches(p.Client) && agent.Matches(p.Agent) {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
	}
	return names
}

// rules returns the names of the rules that are on for this editor and this agent.
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
