package acp

// Types of content blocks.
// See https://agentclientprotocol.com/protocol/v1/content.
const (
	ContentText         = "text"
	ContentImage        = "image"
	ContentAudio        = "audio"
	ContentResource     = "resource"
	ContentResourceLink = "resource_link"
)

// Types of the content of tool calls. ContentContent contains a content block.
// See https://agentclientprotocol.com/protocol/v1/tool-calls#content.
const (
	ContentContent  = "content"
	ContentDiff     = "diff"
	ContentTerminal = "terminal"
	ContentSession  = "session" // a subagent
)
