# By name
terraform import zulip_code_playground.python "Python sandbox"

# By language and name, where several languages have a playground of the name
terraform import zulip_code_playground.python "Python/Python sandbox"

# By number
terraform import zulip_code_playground.python 7
