import {
  to = zulip_code_playground.python
  id = "Python/Python sandbox" # or its name, or its ID
}
