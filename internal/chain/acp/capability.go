package acp

// Members of initialize and its response that contain capabilities.
// See https://agentclientprotocol.com/protocol/v1/initialization.
const (
	ClientCapabilities  = "clientCapabilities"
	AgentCapabilities   = "agentCapabilities"
	PromptCapabilities  = "promptCapabilities"
	SessionCapabilities = "sessionCapabilities"
	MCPCapabilities     = "mcpCapabilities"
)

// Capabilities of a client that reads plan_update. PlanCapabilities is an older spelling.
// See https://agentclientprotocol.com/protocol/v1/agent-plan.
const (
	CapabilityPlan   = "plan"
	PlanCapabilities = "planCapabilities"
)
