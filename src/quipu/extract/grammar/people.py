"""Words for people: what they are to each other, what they do, how they are addressed."""

from typing import Literal, TypeAlias

__all__ = ["GENDERS", "HUMAN", "KIN", "RANKS", "TITLES", "Gender", "genitive"]

Gender: TypeAlias = Literal["", "he", "she"]
"""By which pronoun somebody is spoken of; empty where nobody knows."""

_HE = (
    "brother father dad daddy husband boyfriend son uncle nephew grandfather grandpa granddad "
    "fiancé fiance landlord man boy gentleman guy mr fr sir".split()
)
_SHE = (
    "sister mother mom mum mam mummy wife girlfriend daughter aunt auntie niece grandmother "
    "grandma granny nan fiancée fiancee landlady woman girl lady mrs ms miss".split()
)
GENDERS: dict[str, Gender] = {**dict.fromkeys(_HE, "he"), **dict.fromkeys(_SHE, "she")}
"""Nouns and titles that tell by which pronoun somebody is spoken of."""
KIN = frozenset(
    "sister brother sibling mother father mom mum dad parent wife husband partner girlfriend "
    "boyfriend son daughter child kid cousin aunt uncle nephew niece grandmother grandfather "
    "grandma grandpa granddad friend colleague coworker boss manager roommate flatmate neighbour "
    "neighbor dog cat pet fiancé fiancée fiance fiancee".split()
)
"""Nouns for people and animals that belong to somebody."""
HUMAN = (
    KIN
    | GENDERS.keys()
    | frozenset(
        "doctor dentist vet nurse surgeon consultant physio physiotherapist therapist "
        "pharmacist paramedic midwife optician gp teacher tutor professor supervisor "
        "headteacher trainer student pupil intern apprentice assistant secretary receptionist "
        "accountant bookkeeper treasurer lawyer solicitor notary banker builder plumber "
        "electrician carpenter roofer painter decorator gardener mechanic surveyor architect "
        "engineer developer designer analyst director chairman chairwoman president conductor "
        "organist accompanist pianist singer drummer carer cleaner babysitter nanny "
        "childminder courier postman farmer baker butcher chef cook waiter waitress barber "
        "hairdresser vicar priest rabbi imam mayor officer policeman tenant lodger customer "
        "patient guest buyer seller owner successor predecessor person guy somebody rep "
        "representative maintainer".split()
    )
)
"""Nouns for people, and for nothing else (no "driver", which may be software)."""
RANKS = frozenset("primary secondary tertiary backup deputy standby reserve".split())
"""What of several people who share a duty each one is."""
TITLES = frozenset("mr mrs ms miss dr prof fr sir".split())
"""What stands before a name and belongs to it."""


def genitive(name: str) -> str:
    """Whose something is: "Ann's"."""
    if name == "we":
        return "our"
    return f"{name}'" if name.endswith("s") else f"{name}'s"
