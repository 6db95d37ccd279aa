import {
  to = zulip_linkifier_order.all
  id = "linkifiers"
}
