resource "zulip_scheduled_message" "audit" {
  channel                      = "general"
  topic                        = "yearly audit"
  content                      = "The audit begins today. Please have your access reviewed."
  scheduled_delivery_timestamp = "2099-01-15T09:00:00+01:00"
}
