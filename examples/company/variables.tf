variable "teams" {
  description = "The teams, by name, and what each is for."
  type        = map(string)
  default = {
    platform = "Keeps everything running."
    product  = "Makes what customers see."
    support  = "Answers customers."
  }
}

# Most organizations cannot create accounts through the API: people join by invitation or single sign-on, and are given
# their place here. The default are the people of "terraform-provider-zulip sandbox".
variable "people" {
  description = "Who works here, by e-mail address. Everybody named has an account already."
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
  description = "The domain of the company's e-mail addresses."
  type        = string
  default     = "example.com"
}

variable "tickets_url" {
  description = "Where tickets are, without a slash at the end."
  type        = string
  default     = "https://tickets.example.com"
}

variable "forge_url" {
  description = "Where code is, without a slash at the end."
  type        = string
  default     = "https://forge.example.com"
}
