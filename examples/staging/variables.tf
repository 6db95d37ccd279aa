# The accounts the provider acts with: an owner of each organization. Keys come from the environment
# (TF_VAR_production, TF_VAR_staging) or a secret store, never from a file in the repository.

variable "production" {
  description = "Where production is, and the account that manages it."
  type        = object({ site = string, email = string, api_key = string })
  sensitive   = true
}

variable "staging" {
  description = "Where staging is, and the account that manages it."
  type        = object({ site = string, email = string, api_key = string })
  sensitive   = true
}
