package relay

import (
	"runtime"

	"acpshim/filters"
	"acpshim/filters/permission"
	"acpshim/filters/rule"
	"acpshim/internal/adapters/choices"
	"acpshim/internal/adapters/commands"
	"acpshim/internal/adapters/deadlines"
	"acpshim/internal/adapters/files"
	"acpshim/internal/adapters/images"
	"acpshim/internal/adapters/instructions"
	"acpshim/internal/adapters/links"
	"acpshim/internal/adapters/login"
	"acpshim/internal/adapters/opening"
	"acpshim/internal/adapters/output"
	"acpshim/internal/adapters/paths"
	"acpshim/internal/adapters/questions"
	"acpshim/internal/adapters/repair"
	"acpshim/internal/adapters/shape"
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/adapters/turns"
	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/setup/config"
	"acpshim/translate/dialect"
	"acpshim/translate/plans"
)

// adapters returns all adapters, from the agent to the client. Add a new one here. Where two must
// not change places, a comment says above which adapter one stands and why; a test compares these
// comments with the row.
func (r *Relay) adapters() []dispatch.Adapter {
	r.plans = plans.New(r.conversation, r.planOptions())
	r.rules = r.config.RuleSet().NewChain(r.ruleOptions())
	besideClient, early := versions.NewClient(r.versionOptions()), versions.NewEarly(r.versionOptions())
	r.agent = versions.NewAgent(r.versionOptions(), besideClient, early)
	deadline := deadlines.New(r.deadlineOptions())
	logins := login.New(r.conversation, r.ownToAgent, settings(r, func(c config.Config) string { return c.Login.Method }))
	logins.Waits = deadline.Pause
	row := []dispatch.Adapter{
		// above versions.Agent: the versions of both sides are numbers when they are compared
		repair.NewAgentVersion(settings(r, func(c config.Config) bool { return c.Repair.Version })),
		r.agent,  // all others speak version 1 with the agent
		deadline, // it hears all that the agent sends
		opening.New(r.conversation, settings(r, func(c config.Config) opening.Settings {
			return opening.Settings{Hold: c.Opening.Hold, Repeat: c.Opening.Repeat}
		})),
		// above paths.Adapter: a block has its links where they are mapped
		// above repair.Echo: texts are compared as blocks
		shape.NewChunks(settings(r, func(c config.Config) bool { return c.Repair.Chunks })),
		// above links.Adapter: the agent repeats the text that it got for a link
		repair.NewEcho(r.conversation, settings(r, func(c config.Config) repair.EchoSettings {
			return repair.EchoSettings{Prompts: c.Repair.Echo, Copies: c.Repair.Copies}
		})),
		// above instructions.Adapter: a path at the beginning is not a slash command
		// above paths.Adapter: a path in a link is mapped, and one in a text is not
		links.New(settings(r, func(c config.Config) string { return c.Prompt.Links })),
		// above turns.Adapter: a prompt that the agent never gets has not given the text
		instructions.New(r.conversation, settings(r, r.instructions)),
		// above login.Adapter: a prompt that login sends again waits for its turn
		turns.New(r.conversation, settings(r, func(c config.Config) turns.Settings {
			return turns.Settings{Queue: c.Turns.Queue, CancelGrace: c.Turns.CancelGrace}
		})),
		// above login.Adapter: login knows a refusal by its right code
		repair.NewLoginCode(settings(r, func(c config.Config) bool { return c.Repair.LoginCode })),
		// above repair.Authenticate: a login that the agent does not know has not helped
		logins,
		repair.NewAuthenticate(r.opts.Events.NoLogin, settings(r, func(c config.Config) bool { return c.Repair.Authenticate })),
		repair.NewMCP(settings(r, func(c config.Config) bool { return c.Repair.MCPServers })),
		repair.NewMCPRefusal(r.conversation, r.opts.Events.WithoutMCP, settings(r, func(c config.Config) bool { return c.Repair.MCPRefused })),
		repair.NewAuth(settings(r, func(c config.Config) bool { return c.Repair.AuthMethods })),
		repair.NewCancel(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.Cancel })),
		repair.NewToolCalls(r.conversation, settings(r, func(c config.Config) repair.CallSettings {
			return repair.CallSettings{Announce: c.Repair.ToolCalls, Asked: c.Repair.AskedCalls, NewIDs: c.Repair.CallIDs}
		})),
		// above paths.Adapter: the folder that the agent lists is one of its machine
		repair.NewSessionFolder(r.conversation, r.ownToAgent, settings(r, func(c config.Config) bool { return c.Repair.SessionFolder })),
		// above paths.Adapter: what is completed has the agent's paths, and is mapped once
		repair.NewDiffs(r.conversation, r.agentPaths(), settings(r, func(c config.Config) bool { return c.Repair.Diffs })),
		repair.NewShellLines(runtime.GOOS, settings(r, func(c config.Config) bool { return c.Repair.ShellLines })),
		// above terminals.Adapter: commands run in folders of the client's machine
		// above images.Adapter: images become files of the client's machine
		// above files.Adapter: files are read on the client's machine
		paths.New(r.config.Paths),
		// above repair.Terminals: what acpshim runs is shown as text, not taken out
		terminals.New(r.terminalOptions()),
		images.New(images.Options{
			IsOn:  settings(r, func(c config.Config) bool { return c.Images.Files }),
			Write: r.opts.WriteImage,
			Spell: r.agentPaths(),
		}),
		repair.NewTerminals(r.conversation, settings(r, func(c config.Config) string { return c.Repair.Terminals })),
		output.New(r.conversation, settings(r, func(c config.Config) output.Settings {
			return output.Settings{Terminals: c.Output.Terminals, Raw: c.Output.Raw}
		})),
		output.NewReport(r.conversation, settings(r, func(c config.Config) bool { return c.Output.Report })),
		repair.NewUsage(settings(r, func(c config.Config) bool { return c.Repair.Usage })),
		// above repair.OneReject: permission rules choose among the agent's own options
		// above shape.Adapter: permission rules name the agent's own kinds
		// above repair.OptionIDs: permission rules name the agent's ids
		permission.New(r.permissionOptions()),
		repair.NewExplanations(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.PermissionReasons })),
		shape.NewImages(settings(r, func(c config.Config) bool { return c.Images.DropURIs })),
		// above shape.Adapter: an option of an unknown kind, which may allow, is not removed
		// above repair.Outcome: an option that was removed is not chosen
		repair.NewOneReject(settings(r, func(c config.Config) bool { return c.Repair.OneReject })),
		// above repair.Outcome: an option that rejects is known by its kind
		// above choices.Adapter: choices read complete lists
		shape.New(r.conversation, settings(r, shapeSettings)),
		// above repair.OptionIDs: what the client chose has the agent's id
		repair.NewOutcome(r.conversation, settings(r, func(c config.Config) repair.OutcomeSettings {
			return repair.OutcomeSettings{Refusals: c.Repair.Refusals, Dismiss: c.Repair.Dismiss}
		})),
		// above questions.Adapter: acpshim's own requests keep their ids
		repair.NewOptionIDs(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.OptionIDs })),
		choices.New(r.conversation, r.ownToAgent, settings(r, func(c config.Config) bool { return c.Choices.Bridge })),
		commands.New(r.conversation, r.commands),
		filters.NewGatekeeper(settings(r, func(c config.Config) []string { return append(ClosedGates(c), c.Gate.Updates...) })),
		// above dialect.Adapter: plan updates that a client gets are spelled for it
		// above repair.MessageBreaks: texts of acpshim need no more blank lines
		r.plans,
		// above dialect.Adapter: plan updates that a client gets are spelled for it
		plans.NewIdle(r.plans, settings(r, func(c config.Config) string { return c.Plan.Idle })),
		repair.NewResume(r.conversation, settings(r, func(c config.Config) bool { return c.Repair.Resume })),
		repair.NewLoad(r.conversation, settings(r, func(c config.Config) string { return c.Repair.Load })),
		dialect.New(func(client conversation.Implementation) bool {
			return r.configFor(client, conversation.Implementation{}).Plan.Bridge
		}),
		questions.New(r.conversation, r.ownToClient, settings(r, func(c config.Config) bool { return c.Questions.Ask == "permission" })),
		files.New(r.fileOptions()),
		// above repair.MessageBreaks: messages are separated in the order in which the client gets them
		turns.NewLate(r.conversation, settings(r, func(c config.Config) string { return c.Turns.Late })),
		repair.NewMessageBreaks(r.conversation, func(client, agent conversation.Implementation) bool {
			// The agent's side of a bridge separates messages, and a client of version 2 knows ids.
			return !r.agent.IsOn() && !besideClient.IsOn() && r.configFor(client, agent).Repair.MessageBreaks
		}),
		// no adapter but versions.Client reads a session/cancel that is a request
		repair.NewCancelRequest(settings(r, func(c config.Config) bool { return c.Repair.CancelRequest })),
		// all others read the version that the agent is asked for
		repair.NewVersion(settings(r, func(c config.Config) bool { return c.Repair.Version })),
		besideClient, // all others speak version 1 with the client
		early,        // nobody sees a request that waits
	}
	if r.config.RulePlace() == rule.BesideAgent {
		return append([]dispatch.Adapter{r.rules}, row...)
	}
	return append(row, r.rules) // they match what the client sends and gets
}
