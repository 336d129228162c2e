"""What links carry: contact points, fluid properties, thrusters, payloads."""
