// Shapes of what the server sends (saint_services/webd/views.py is their source).

/**
 * @typedef {object} NodeInfo
 * @property {string} node_id
 * @property {string} display_name
 * @property {"boot"|"updating"|"unadopted"|"adopting"|"active"|"offline"} state
 * @property {string} role
 * @property {string} instance
 * @property {NodeRole[]} [roles] all that it holds
 * @property {string} topic_prefix
 * @property {string} hardware_model
 * @property {string} hardware_rev
 * @property {string} firmware_version
 * @property {string} config_version
 * @property {string} mac_address
 * @property {string} address
 * @property {string} first_seen
 * @property {string} server  that it belongs to
 * @property {boolean} is_ours
 * @property {boolean} is_ignored
 * @property {number} seen_age_s
 * @property {number} cpu_temp
 * @property {number} cpu_usage
 * @property {number} memory_usage
 * @property {number} uptime_s
 * @property {number} role_restarts
 * @property {boolean} outputs_safe
 * @property {string} reason
 * @property {string} not_offered  why it cannot be adopted now
 * @property {string} code  six digits that the node shows too
 * @property {{type: string, address: string, description: string, responsive: boolean}[]}
 * peripherals
 *
 * @typedef {object} NodeRole
 * @property {string} role
 * @property {string} instance
 * @property {"boot"|"updating"|"unadopted"|"adopting"|"active"|"offline"} state
 * @property {string} reason
 * @property {boolean} outputs_safe
 *
 * @typedef {object} MachineFirmware
 * @property {string} node_id
 * @property {boolean} is_server
 * @property {boolean} is_online
 * @property {string} version
 * @property {string} slot
 * @property {string} spare_version
 * @property {"idle"|"installing"|"restarting"|"verifying"} state
 * @property {number} progress percent
 * @property {string} target_version
 * @property {number} attempt
 * @property {""|"healthy"|"rolled_back"|"failed"|"refused"} verdict
 * @property {string} reason
 * @property {string} log_excerpt
 * @property {string} blocked_by
 *
 * @typedef {object} Release
 * @property {string} version
 * @property {string} release_date
 * @property {number} size_bytes
 * @property {string} changelog
 * @property {boolean} is_current
 *
 * @typedef {object} RoleChoice
 * @property {string} role
 * @property {string} instance
 * @property {string} node_id
 *
 * @typedef {object} Problem
 * @property {string} code
 * @property {string} message
 * @property {string} fix
 *
 * @typedef {object} Rival
 * @property {string} route
 * @property {string} source
 * @property {number} value
 * @property {number | null} age_ms null: no sample counts
 * @property {string} reason
 *
 * @typedef {object} OutputField
 * @property {string} target
 * @property {string} field
 * @property {string} unit
 * @property {number | null} value commanded; null: nothing is
 * @property {string} winner
 * @property {string} source
 * @property {number | null} age_ms null: no sample counts
 * @property {"none"|"live"|"hold"|"ramp_to_zero"|"neutral"|"park"|"estop"} policy
 * @property {boolean} clamped
 * @property {number} changed_ms 0: never since the router started
 * @property {Rival[]} rivals
 *
 * @typedef {object} Source
 * @property {string} [subject]
 * @property {number} sequence
 * @property {number} age_ms
 * @property {boolean} failsafe
 * @property {number} rate_hz
 * @property {Record<string, number | null>} values
 *
 * @typedef {object} FieldSpec
 * @property {string} unit
 * @property {"position"|"velocity"} kind
 * @property {[number, number]} limits
 * @property {number} neutral
 *
 * @typedef {object} EStop
 * @property {boolean} active
 * @property {string} source
 * @property {string} reason
 * @property {number | null} since
 * @property {number} generation
 * @property {{source: string, reason: string, since: number | null}[]} presses
 * @property {number} more
 * @property {boolean} confirmed
 * @property {StopOutcome[]} outcomes
 *
 * @typedef {object} StopOutcome
 * @property {string} target
 * @property {string} node_id
 * @property {"stopped"|"guard"|"stopping"|"silent"|"absent"} state
 * @property {number | null} after_ms
 * @property {string} detail
 *
 * @typedef {"connecting"|"open"|"lost"|"locked"} LinkState
 */

export {};
