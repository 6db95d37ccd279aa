variable "teams" {
  description = "Purpose of each team, by name."
  type        = map(string)
  default = {
    platform = "Keeps everything running."
    product  = "Makes what customers see."
    support  = "Answers customers."
  }
}

# Most organizations can't create accounts through the API. People join by invitation or single sign-on, and get their
# team and role here. The default is the people of "terraform-provider-zulip sandbox".
variable "people" {
  description = "People, by email. Everyone must have an account."
  type = map(object({
    team    = string
    lead    = optional(bool, false)
    on_call = optional(bool, false)
    role    = optional(string, "member")
  }))
  default = {
    "amara.okafor@example.com" = { team = "support", lead = true, role = "moderator" }
    "ines.moreau@example.com"  = { team = "product", lead = true, role = "owner" }
    "kenji.sato@example.com"   = { team = "support", on_call = true }
    "lena.fischer@example.com" = { team = "platform", on_call = true }
    "paul.dubois@example.com"  = { team = "product", role = "guest" }
    "tomas.berg@example.com"   = { team = "platform", lead = true, role = "administrator" }
  }

  validation {
    condition     = alltrue([for person in var.people : contains(keys(var.teams), person.team)])
    error_message = "Everybody is in one of the teams."
  }
}

variable "domain" {
  description = "Domain of the company's emails."
  type        = string
  default     = "example.com"
}

variable "tickets_url" {
  description = "URL of the ticket system, without a trailing slash."
  type        = string
  default     = "https://tickets.example.com"
}

variable "forge_url" {
  description = "URL of the code host, without a trailing slash."
  type        = string
  default     = "https://forge.example.com"
}
