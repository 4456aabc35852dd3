package acp

// Statuses of the entries of a plan.
// See https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries.
const (
	EntryPending    = "pending"
	EntryInProgress = "in_progress"
	EntryCompleted  = "completed"
	EntryCancelled  = "cancelled" // version 2
)

// Priorities of the entries of a plan.
// See https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries.
const (
	PriorityHigh   = "high"
	PriorityMedium = "medium"
	PriorityLow    = "low"
)

// Types of the plans in plan_update.
// See https://agentclientprotocol.com/protocol/v1/agent-plan.
const (
	PlanItems    = "items"
	PlanMarkdown = "markdown"
	PlanFile     = "file"
)
