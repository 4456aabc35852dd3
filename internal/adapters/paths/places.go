package paths

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
)

// A place says where messages of one kind have paths. The kind is a method, or begins with update
// or responseTo. In pointers, * matches every element of a list.
type place struct {
	from     dispatch.Side
	kind     string
	pointers []string
}

// Prefixes of kinds.
const (
	update     = "update "
	responseTo = "response to "
)

// places returns all places of version 1 of the protocol, including its unstable part. A test
// compares them with the schemas and says why other properties with a path or a URI are left out.
// The adapter maps no text, no input or output of tools, no commands and no environment.
func places() []place {
	return []place{
		{dispatch.Client, acp.SessionNew, session()},
		{dispatch.Client, acp.SessionLoad, session()},
		{dispatch.Client, acp.SessionResume, session()},
		{dispatch.Client, acp.SessionFork, session()},
		{dispatch.Client, acp.SessionOptions, folders("/params")},
		{dispatch.Client, acp.SessionList, []string{"/params/cwd"}},
		{dispatch.Agent, responseTo + acp.SessionList, folders("/result/sessions/*")},
		{dispatch.Client, acp.SessionPrompt, block("/params/prompt/*")},

		{dispatch.Agent, acp.FSReadTextFile, []string{"/params/path"}},
		{dispatch.Agent, acp.FSWriteTextFile, []string{"/params/path"}},
		{dispatch.Agent, acp.TerminalCreate, []string{"/params/cwd"}},
		{dispatch.Agent, acp.SessionRequestPermission, toolCall("/params/toolCall")},

		{dispatch.Agent, update + acp.UserMessageChunk, block("/params/update/content")},
		{dispatch.Agent, update + acp.AgentMessageChunk, block("/params/update/content")},
		{dispatch.Agent, update + acp.AgentThoughtChunk, block("/params/update/content")},
		{dispatch.Agent, update + acp.ToolCall, toolCall("/params/update")},
		{dispatch.Agent, update + acp.ToolCallUpdate, toolCall("/params/update")},
		{dispatch.Agent, update + acp.PlanUpdate, []string{"/params/update/plan/uri", "/params/update/plan/path"}},
		{dispatch.Agent, update + acp.CompactionUpdate, block("/params/update/summary/*")},
		{dispatch.Agent, update + acp.CompactionSummaryChunk, block("/params/update/content")},
		{dispatch.Agent, update + acp.SubagentUpdate, folders("/params/update")},
		{dispatch.Agent, update + acp.PromptSuggestionsUpdate, block("/params/update/suggestions/*/prompt/*")},
		{dispatch.Agent, update + acp.SessionMessage, block("/params/update/content/*")},
		{dispatch.Agent, update + acp.SessionMessageChunk, block("/params/update/content")},
	}
}

// session returns the places in a request that opens a session.
func session() []string {
	return append(folders("/params"), block("/params/systemPrompt/content/*")...)
}

func folders(at string) []string { return []string{at + "/cwd", at + "/additionalDirectories/*"} }

// block returns the places in a content block: an image, a resource_link, or a resource.
func block(at string) []string { return []string{at + "/uri", at + "/resource/uri"} }

// toolCall returns the places in a tool call: its locations, diffs, and content blocks.
func toolCall(at string) []string {
	return append(block(at+"/content/*/content"), at+"/content/*/path", at+"/locations/*/path")
}
