package relay

import (
	"os"
	"runtime"
	"strings"

	"acpshim/filters"
	"acpshim/filters/permission"
	"acpshim/filters/rule"
	"acpshim/internal/adapters/commands"
	"acpshim/internal/adapters/deadlines"
	"acpshim/internal/adapters/files"
	"acpshim/internal/adapters/paths"
	"acpshim/internal/adapters/shape"
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/run/planfile"
	"acpshim/internal/setup/config"
	"acpshim/translate"
	"acpshim/translate/plans"
)

func (r *Relay) ruleOptions() rule.Options {
	return rule.Options{
		Place:        r.config.RulePlace(),
		Conversation: r.conversation,
		Client:       r.opts.Client,
		Agent:        r.opts.Agent,
		Switches: func(client, agent rule.Peer) map[string]bool {
			return r.configFor(conversation.Implementation(client), conversation.Implementation(agent)).Switches
		},
		Events: r.opts.Events.Rules,
	}
}

func (r *Relay) permissionOptions() permission.Options {
	return permission.Options{
		Conversation: r.conversation,
		Rules:        r.config.PermissionRules(),
		Client:       r.opts.Client,
		Agent:        r.opts.Agent,
		Answered:     r.opts.Events.Answered,
		Step:         r.opts.Events.Permission,
	}
}

func shapeSettings(c config.Config) shape.Settings {
	return shape.Settings{Kinds: c.Repair.OptionKinds, Results: c.Repair.Results, SessionID: c.Repair.SessionID, Flatten: c.Choices.Groups == "flatten"}
}

func (r *Relay) versionOptions() versions.Options {
	o := versions.Options{
		Conversation: r.conversation,
		IsOn:         settings(r, func(c config.Config) bool { return c.Version.Bridge }),
		FallsBack:    settings(r, func(c config.Config) bool { return c.Repair.Version }),
		AsksOnce:     r.opts.AsksOnce,
		Bridged:      r.opts.Events.Bridged,
	}
	if r.restart != nil {
		o.Restart = r.askToRestart
	}
	return o
}

func (r *Relay) terminalOptions() terminals.Options {
	return terminals.Options{
		Conversation: r.conversation,
		IsOn: func(client conversation.Implementation) bool {
			return r.configFor(client, conversation.Implementation{}).Services.Terminal
		},
		Start:  r.opts.StartCommand,
		Prefix: r.ownToClient.Prefix(),
	}
}

func (r *Relay) fileOptions() files.Options {
	return files.Options{
		Conversation: r.conversation,
		Mode: func(client, agent conversation.Implementation) files.Mode {
			return files.Mode(r.configFor(client, agent).Services.FS)
		},
		Disk:  r.opts.Disk,
		Spell: r.agentPaths(),
		Done:  r.opts.Events.Files,
	}
}

// agentPaths returns a function that converts a path of the client to the agent's spelling.
func (r *Relay) agentPaths() func(path string) string {
	spelling := paths.NewMap(r.config.Paths)
	return func(path string) string {
		if mapped, ok := spelling.Text(path, dispatch.Client); ok {
			return mapped
		}
		return path
	}
}

func (r *Relay) commands(_, agent conversation.Implementation) []commands.Command {
	return r.config.CommandsOf(rule.Peer(agent).Or(r.opts.Agent))
}

// instructions returns the user's text for the agent, or "".
func (r *Relay) instructions(c config.Config) string {
	name := c.Prompt.Instructions
	if name == "" || r.opts.ReadFile == nil {
		return c.Instructions()
	}
	text, _ := r.opts.ReadFile("file://"+name, nil)
	return strings.TrimRight(text, "\n")
}

func (r *Relay) planOptions() plans.Options {
	events := r.opts.Events.Plans
	events.Negotiated = r.negotiated
	o := plans.Options{
		For: settings(r, func(c config.Config) plans.Settings {
			return plans.Settings{
				Advertise: c.Plan.Advertise,
				Policy:    translate.Policy(c.Plan.Policy),
				ShowAs:    plans.ShowAs(c.Plan.ShowAs),
				PolicyBy:  c.SetBy("plan.policy"),
				ShowAsBy:  c.SetBy("plan.show_as"),
				Prose:     c.Plan.Prose == "message",
				LateWait:  c.Turns.Late == "hold" || c.Turns.Late == "drop",
				Tools:     c.TodoTools(),
			}
		}),
		ReadFile:     r.live.ReadFile,
		AwaitWrites:  r.live.AwaitWrites,
		FilesChanged: r.live.FilesChanged,
		Events:       events,
	}
	if r.opts.ReadFile != nil {
		o.ReadFile, o.AwaitWrites, o.FilesChanged = r.opts.ReadFile, nil, nil
	}
	return o
}

// negotiated applies the configuration for the two peers to junk and plan files.
func (r *Relay) negotiated(n plans.Negotiation) {
	n.Client, n.Agent = r.known(n.Client, n.Agent)
	c := r.configFor(n.Client, n.Agent)
	r.junk.Policy = filters.JunkPolicy(c.Junk) // this runs in the direction that looks for junk
	r.live.Negotiated(n, planfile.Settings{
		Reader:    planfile.Reader{Roots: append(temporaryFolders(), c.Plan.File.Roots...)},
		AskClient: c.Plan.File.Read == "client",
	})
	if r.opts.Events.Plans.Negotiated != nil {
		r.opts.Events.Plans.Negotiated(n)
	}
}

// ClosedGates returns the names of the features that are dropped for clients that do not announce
// them.
func ClosedGates(c config.Config) []string {
	var closed []string
	for name, policy := range map[string]string{"notices": c.Gate.Notices, "compaction": c.Gate.Compaction, "subagents": c.Gate.Subagents, "boolean_options": c.Gate.BooleanOptions, "prompt_suggestions": c.Gate.PromptSuggestions, "cursors": c.Gate.Cursors} {
		if policy == "drop" {
			closed = append(closed, name)
		}
	}
	return closed
}

// temporaryFolders returns where agents put plans that belong to no project. The agent may have
// another TMPDIR.
func temporaryFolders() []string {
	if runtime.GOOS == "windows" {
		return []string{os.TempDir()}
	}
	return []string{os.TempDir(), "/tmp"}
}

func (r *Relay) deadlineOptions() deadlines.Options {
	return deadlines.Options{
		Conversation: r.conversation, Command: r.opts.Command, LastLine: r.opts.LastLine, Silent: r.opts.Events.Silent,
		Settings: settings(r, func(c config.Config) deadlines.Settings { return deadlines.Settings(c.Deadline) }),
	}
}
