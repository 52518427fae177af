resource "aws_db_instance" "ledger" {
  identifier = "ledger-db"
}

resource "aws_ecs_service" "payments" {
  name       = "payments"
  depends_on = [aws_db_instance.ledger]
  subnets    = module.network.private
}

module "network" {
  source = "./network"
}
